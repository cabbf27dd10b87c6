// SPDX-License-Identifier: MIT
// Stands for the headers that every test reads: tests/CMakeLists.txt precompiles them with this source's options.
