// SPDX-License-Identifier: MIT
// Takes rights away from the process that reads files through assimp.
#pragma once

#include <string>

namespace dermis {

// What the kernel enforces.
struct Confinement {
  bool reads_only_its_folder = false;  // Landlock (Linux 5.13): no file outside of it can be opened
  bool changes_nothing = false;  // seccomp: no sockets, no other programs, no file written, moved or removed
};

// Confines this process, for ever. Files that are open stay so. `file` is the file to read, `folder` where
// its companions are; both empty: no file at all can be opened. What the kernel does not offer is left out.
Confinement confine_self(const std::string& file, const std::string& folder);

}  // namespace dermis
