// SPDX-License-Identifier: MIT
// A function of fmt for programs that clang builds: clang mangles its type in another way than GCC, which
// built the library of Debian, so that the linker does not find it there.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace fmt::detail {

template void vformat_to<char>(buffer<char>&, basic_string_view<char>,
                               basic_format_args<FMT_BUFFER_CONTEXT(type_identity_t<char>)>, locale_ref);

}  // namespace fmt::detail
