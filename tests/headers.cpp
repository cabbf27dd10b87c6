// SPDX-License-Identifier: MIT
// The headers that every test reads; tests/CMakeLists.txt precompiles them with the options of this source.
