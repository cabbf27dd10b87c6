// SPDX-License-Identifier: MIT
// What the ledger of memory tells sentences.
#pragma once

#include <cstdint>
#include <optional>

namespace dermis {

// The limit, if a block was refused because of it since it was set.
std::optional<std::uint64_t> refused_limit() noexcept;

}  // namespace dermis
