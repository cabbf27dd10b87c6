// SPDX-License-Identifier: MIT
// fmt::format_to for strings. Its template would put all of fmt's engine into each source that uses it, three
// seconds of compiling; fmt's library has it already.
#pragma once

#include <fmt/format.h>

#include <iterator>

#if FMT_VERSION / 10000 == 9
extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>& buffer,
                                                   fmt::basic_string_view<char> format,
                                                   fmt::basic_format_args<fmt::buffer_context<char>> args,
                                                   fmt::detail::locale_ref locale);
#endif
