// SPDX-License-Identifier: MIT
// The decoders that decode_image uses, and their shared helpers.
#pragma once

#include "dermis/image.h"

namespace dermis {

// May throw bad_alloc.
Result<Pixels> decode_png(std::span<const std::byte> bytes, const std::string& name,
                          std::uint64_t max_pixels);
Result<Pixels> decode_jpeg(std::span<const std::byte> bytes, const std::string& name,
                           std::uint64_t max_pixels);

Error too_many_pixels(const std::string& name, std::uint64_t width, std::uint64_t height,
                      std::uint64_t max_pixels);
// Refuses pictures without pixels, or with a pixel count that does not match width and height.
Status check_pixels(const Pixels& pixels);

}  // namespace dermis
