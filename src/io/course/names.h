// SPDX-License-Identifier: MIT
// Which files of the teaching format belong together: skeleton-x.out, attachment-x.out and mesh-x.obj.
#pragma once

#include <string>

namespace dermis {

bool is_attachment(const std::string& path);
// For "a/skeleton-x.out": "a/attachment-x.out" and "a/mesh-x.obj"; for an attachment: its skeleton. Empty if
// the name does not start that way.
std::string attachment_beside(const std::string& skeleton);
std::string mesh_beside(const std::string& skeleton);
std::string skeleton_beside(const std::string& attachment);

}  // namespace dermis
