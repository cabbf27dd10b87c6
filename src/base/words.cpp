// SPDX-License-Identifier: MIT
// Shared wording of sentences: counts of things.
#include "dermis/base.h"

namespace dermis {

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

}  // namespace dermis
