// SPDX-License-Identifier: MIT
// What this process may not leave behind if it ends at once: temporary files and child processes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace dermis {

// Registers a file or a folder with all it holds before it is created; each is forgotten when it is gone. May
// be called from any thread. After remove_leftovers() (dermis/io.h) these calls never return: the process is
// about to end, and nothing new may appear.
void remember_path(const std::string& path);
void forget_path(const std::string& path) noexcept;
// Calls `start` and registers the child it returns (below 1: none) in one step: remove_leftovers() in another
// thread either runs before the child exists or ends it.
pid_t start_child(const std::function<pid_t()>& start);
void forget_child(pid_t process_group) noexcept;

// Removes a file, or a folder with all it holds; what cannot be removed stays. By libc, which does not throw
// where memory has run out.
void remove_tree(const std::string& path) noexcept;

}  // namespace dermis
