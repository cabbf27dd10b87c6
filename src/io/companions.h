// SPDX-License-Identifier: MIT
// Files next to a document: which a document may name, and under which names its data may be written.
//
// A downloaded file decides the names of its pictures and buffers, so whoever converts it must not find
// anything else next to the output: no script, no setting, no hidden file, nothing from outside its folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace dermis {

// "image/png", "image/jpeg", "image/webp", "image/ktx2" or "image/vnd-ms.dds", by the first bytes; null for
// everything else.
const char* picture_type(std::span<const std::byte> bytes);

// True if no part of a relative path starts with a dot, leaves its folder, or has control characters.
bool is_plain_path(const std::string& relative);

// Why `bytes` may not be written as the picture `name`, a relative path; empty if they may. The bytes must be
// a picture and the name must be plain and end as pictures do: a text may start like a WebP and still be a
// script.
std::string why_not_a_picture(const std::string& name, std::span<const std::byte> bytes);

// `name` made into a plain file name that ends as pictures do. `bytes` are a picture.
std::string picture_file_name(std::string name, std::span<const std::byte> bytes);

}  // namespace dermis
