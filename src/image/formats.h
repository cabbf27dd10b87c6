// SPDX-License-Identifier: MIT
// The decoders behind decode_image, and what they share.
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
// Refuses what has no pixels, or not as many as its sides say.
Status check_pixels(const Pixels& pixels);

}  // namespace dermis
