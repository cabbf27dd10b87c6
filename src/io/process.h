// SPDX-License-Identifier: MIT
// Child processes that end with the object that started them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace dermis {

// A child in a process group of its own. It does not outlive this object, and neither do processes that it
// starts; a Ctrl-C in the terminal reaches only us, and we decide.
class ChildProcess {
 public:
  // What becomes its stdin, stdout and stderr.
  struct Streams {
    int in, out, err;
  };

  ChildProcess() = default;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { end(); }

  // `words` start with the program, which is looked for on the PATH unless it has a slash. Returns 0, or the
  // system's error number.
  int start(std::vector<std::string> words, const Streams& streams);
  // True once it has ended; status() then gives the result.
  bool has_ended();
  // Ends it at once, with all that it started.
  void end();
  // As waitpid gives it.
  int status() const { return status_; }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace dermis
