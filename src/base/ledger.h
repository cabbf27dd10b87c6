// SPDX-License-Identifier: MIT
// A ledger of the memory that the process holds, kept where memory is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace dermis {

// A program whose operator new and delete report every block, as those of the command do
// (cli/memory/counted_memory.cpp), stays within a limit in all its work. In other programs nothing is
// counted, and there is no limit.

// Adds a block that is about to be handed out. False: it exceeds the limit, was not added, and must not be
// handed out; throw bad_alloc, which without_throwing turns into an Error with the remedy "max_memory".
// Blocks below 64 kB are added up per thread, so the ledger may be behind by that much per thread.
bool count_memory(std::size_t bytes) noexcept;
// Removes a block that was added.
void uncount_memory(std::size_t bytes) noexcept;
// In bytes, for the whole process; the largest number means no limit, which is the default.
void set_memory_limit(std::uint64_t bytes);
// The bytes now held, within 64 kB per thread; 0 if nothing is counted.
std::uint64_t counted_memory();
// The limit, if a block was refused because of it since it was set.
std::optional<std::uint64_t> refused_limit() noexcept;

}  // namespace dermis
