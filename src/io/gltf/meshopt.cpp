// SPDX-License-Identifier: MIT
// Decodes meshopt-compressed buffer views with libmeshoptimizer.
#include "io/gltf/meshopt.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include "dermis/model.h"

namespace dermis {
namespace {

// First byte of an encoded stream: kind in the high half, format version in the low half. libmeshoptimizer
// 0.18 knows version 0 of vertex data and up to 1 of index data; KHR_meshopt_compression may use newer ones.
constexpr unsigned kMaxVertexVersion = 0;

Error fault(const std::string& words, Errc code = Errc::bad_file) { return {code, words}; }

Status check_shape(const MeshoptRange& range) {
  const bool is_index = range.mode == "TRIANGLES" || range.mode == "INDICES";
  if (range.mode != "ATTRIBUTES" && !is_index) {
    return fault(fmt::format("is compressed in the unknown mode {}", quoted_name(range.mode)),
                 Errc::unsupported);
  }
  const bool is_stride_good = is_index ? range.stride == 2 || range.stride == 4
                                       : range.stride > 0 && range.stride <= 256 && range.stride % 4 == 0;
  if (!is_stride_good)
    return fault(fmt::format("is compressed with an impossible stride of {}", range.stride));
  if (range.mode == "TRIANGLES" && range.count % 3 != 0)
    return fault("contains triangles but its count is not a multiple of 3");
  return Done{};
}

Status apply_filter(const MeshoptRange& range, Bytes& bytes) {
  const std::string& filter = range.filter;
  if (filter.empty() || filter == "NONE") return Done{};
  if (range.mode != "ATTRIBUTES") return fault("has a filter although it contains indices");
  if (filter == "OCTAHEDRAL" && (range.stride == 4 || range.stride == 8)) {
    meshopt_decodeFilterOct(bytes.data(), range.count, range.stride);
  } else if (filter == "QUATERNION" && range.stride == 8) {
    meshopt_decodeFilterQuat(bytes.data(), range.count, range.stride);
  } else if (filter == "EXPONENTIAL") {
    meshopt_decodeFilterExp(bytes.data(), range.count, range.stride);
  } else {
    return fault(
        fmt::format("is compressed with filter {} at stride {}, which the installed decoder does not have",
                    quoted_name(filter), range.stride),
        Errc::unsupported);
  }
  return Done{};
}

}  // namespace

Result<Bytes> decode_meshopt(const MeshoptRange& range) {
  if (Status shape = check_shape(range); !shape) return shape.error();
  Bytes bytes(range.count * range.stride);
  const auto* data = reinterpret_cast<const unsigned char*>(range.bytes.data());
  int failed = 0;
  if (range.count == 0) {
    return bytes;
  } else if (range.mode == "ATTRIBUTES") {
    if (!range.bytes.empty() && (data[0] & 0x0Fu) > kMaxVertexVersion) {
      return fault(
          fmt::format("uses version {} of the meshopt vertex format, newer than the installed decoder",
                      data[0] & 0x0Fu),
          Errc::unsupported);
    }
    failed = meshopt_decodeVertexBuffer(bytes.data(), range.count, range.stride, data, range.bytes.size());
  } else if (range.mode == "TRIANGLES") {
    failed = meshopt_decodeIndexBuffer(bytes.data(), range.count, range.stride, data, range.bytes.size());
  } else {
    failed = meshopt_decodeIndexSequence(bytes.data(), range.count, range.stride, data, range.bytes.size());
  }
  if (failed != 0) return fault("has meshopt data that cannot be decoded; is the file damaged?");
  if (Status filtered = apply_filter(range, bytes); !filtered) return filtered.error();
  return bytes;
}

}  // namespace dermis
