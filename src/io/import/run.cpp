// SPDX-License-Identifier: MIT
// Finds, starts and limits dermis-import: whatever happens, the caller gets its bytes or one error sentence.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "io/import/import.h"
#include "io/process.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

// How often a stop request is checked.
constexpr int kPollMilliseconds = 50;
// How much of its stderr is kept: a sentence, not a log.
constexpr std::size_t kMaxWords = 4096;
constexpr std::size_t kPipeBytes = 1 << 16;

// ---- Descriptors that are closed by their owner -------------------------------------------------------

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read, write;
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    return true;
  }
};

// ---- Finding the program ------------------------------------------------------------------------------

bool is_program(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> likely_folders() {
  std::vector<fs::path> folders;
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed).parent_path();
  if (!failed) {
    // Next to this program; in the build tree, relative to cli/, tests/ and tests/fuzz/; installed.
    for (const char* place : {".", "../import", "../../import", "../libexec/dermis"})
      folders.push_back((self / place).lexically_normal());
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? std::string_view{} : std::string_view(path);
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return folders;
}

// ---- Communication ------------------------------------------------------------------------------------

// The first line, without characters that would disturb a sentence.
std::string first_line(std::string words) {
  words.resize(std::min(words.find('\n'), words.size()));
  std::replace_if(
      words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  while (!words.empty() && (words.back() == ' ' || words.back() == '.')) words.pop_back();
  return words;
}

class Conversation {
 public:
  Conversation(const ImportCall& call, const Progress& progress)
      : call_(call),
        progress_(progress),
        end_(start_ +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(call.seconds))) {}

  Result<Bytes> run() {
    if (Status started = start(); !started) return started.error();
    if (Status heard = listen(); !heard) return heard.error();
    while (!process_.has_ended()) {
      if (Status going = check(); !going) return going.error();
      ::poll(nullptr, 0, 2);
    }
    if (Status good = judge(process_.status()); !good) return good.error();
    return std::move(out_);
  }

 private:
  Error fail(Errc code, const std::string& words) const {
    return {code, fmt::format("{}: {}", call_.path, words)};
  }

  Status start() {
    Descriptor in(call_.is_in_memory ? ::memfd_create("dermis-import", MFD_CLOEXEC)
                                     : ::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Pipe out, err;
    if (!in.is_open() || !out.open() || !err.open())
      return fail(Errc::internal, fmt::format("no pipe to dermis-import: {}", std::strerror(errno)));
    if (call_.is_in_memory && !fill(in.get()))
      return fail(Errc::internal, fmt::format("no memory for dermis-import: {}", std::strerror(errno)));
    const int failed = process_.start(words(), {in.get(), out.write.get(), err.write.get()});
    if (failed != 0) {
      return fail(Errc::unsupported,
                  fmt::format("cannot start '{}': {}", call_.program, std::strerror(failed)));
    }
    out_pipe_ = std::move(out.read);
    err_pipe_ = std::move(err.read);
    return Done{};
  }

  bool fill(int fd) const {
    std::span<const std::byte> rest = call_.input;
    while (!rest.empty()) {
      const ssize_t written = ::write(fd, rest.data(), rest.size());
      if (written < 0 && errno != EINTR) return false;
      rest = rest.subspan(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    return ::lseek(fd, 0, SEEK_SET) == 0;
  }

  std::vector<std::string> words() const {
    std::vector<std::string> list = {call_.program, "--max-memory", fmt::format("{}", call_.max_memory),
                                     "--seconds", fmt::format("{:.0f}", std::max(1.0, call_.seconds))};
    if (call_.up != UpAxis::guess) list.insert(list.end(), {"--up", call_.up == UpAxis::z ? "z" : "y"});
    if (call_.is_in_memory) list.insert(list.end(), {"--stdin-as", extension_of(call_.path)});
    // A name that starts with a dash is still a file.
    if (!call_.is_in_memory) list.push_back(call_.path.starts_with('-') ? "./" + call_.path : call_.path);
    return list;
  }

  // Stop, time and size, each with its sentence.
  Status check() {
    if (Status going = progress_.at("reading through dermis-import", 0); !going) {
      process_.end();
      return fail(Errc::cancelled, going.error().sentence);
    }
    if (Clock::now() >= end_) {
      process_.end();
      return too_slow();
    }
    if (out_.size() > call_.max_memory) {
      process_.end();
      return fail(Errc::too_large, fmt::format("dermis-import returned more than {} bytes", call_.max_memory))
          .with_remedy("max_memory");
    }
    return Done{};
  }

  Error too_slow() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return fail(Errc::too_large, fmt::format("dermis-import was stopped after {:.2g} s; the file is broken, "
                                             "or so large that another program should convert it to glTF",
                                             seconds));
  }

  // Until both pipes are closed.
  Status listen() {
    while (out_pipe_.is_open() || err_pipe_.is_open()) {
      std::array<pollfd, 2> wanted{pollfd{out_pipe_.get(), POLLIN, 0}, pollfd{err_pipe_.get(), POLLIN, 0}};
      const int ready = ::poll(wanted.data(), wanted.size(), kPollMilliseconds);
      if (ready > 0) {
        if (wanted[0].revents != 0)
          hear(out_pipe_,
               [&](std::span<const std::byte> more) { out_.insert(out_.end(), more.begin(), more.end()); });
        if (wanted[1].revents != 0)
          hear(err_pipe_, [&](std::span<const std::byte> more) {
            const std::string_view text = text_of(more);
            err_ += text.substr(0, kMaxWords - std::min(kMaxWords, err_.size()));
          });
      }
      if (Status going = check(); !going) return going;
    }
    return Done{};
  }

  template <class Keep>
  static void hear(Descriptor& pipe, const Keep& keep) {
    std::array<std::byte, kPipeBytes> buffer;  // NOLINT: read fills it
    const ssize_t got = ::read(pipe.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) return pipe.close();
    keep(std::span(buffer).first(static_cast<std::size_t>(got)));
  }

  Status judge(int status) const {
    const std::string said = first_line(err_);
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      if (signal == SIGXCPU) return too_slow();
      if (signal == SIGINT || signal == SIGTERM) return fail(Errc::cancelled, "stopped");
      return fail(Errc::bad_file,
                  fmt::format("dermis-import crashed on it ({}); the file is broken, or assimp is: export it "
                              "again, or convert it to glTF elsewhere",
                              ::strsignal(signal)));
    }
    switch (WEXITSTATUS(status)) {
      case 0:
        return Done{};
      case kImportRefused:
        return fail(Errc::bad_file, said.empty() ? "dermis-import cannot read it and gives no reason" : said);
      case kImportDoubted:
        return fail(Errc::bad_file, said + "; or it needs more memory than allowed")
            .with_remedy("max_memory");
      case kImportOutOfMemory:
        return fail(Errc::too_large,
                    fmt::format("dermis-import needs more than {} bytes of memory for it", call_.max_memory))
            .with_remedy("max_memory");
      default:
        return fail(Errc::internal, fmt::format("dermis-import ended with code {}{}{}", WEXITSTATUS(status),
                                                said.empty() ? "" : ": ", said));
    }
  }

  const ImportCall& call_;
  const Progress& progress_;
  const Clock::time_point start_ = Clock::now();
  const Clock::time_point end_;
  ChildProcess process_;
  Descriptor out_pipe_, err_pipe_;
  Bytes out_;
  std::string err_;
};

}  // namespace

Result<std::string> find_importer() {
  if (const char* stated = std::getenv("DERMIS_IMPORT"); stated != nullptr && *stated != '\0') {
    if (is_program(stated)) return std::string(stated);
    return Error{Errc::unsupported, fmt::format("DERMIS_IMPORT names '{}', which is not a program", stated)};
  }
  for (const fs::path& folder : likely_folders()) {
    const fs::path program = folder / "dermis-import";
    if (is_program(program)) return program.string();
  }
  return Error{Errc::unsupported,
               "this format is read by the program dermis-import, which is neither next to this one nor on "
               "the PATH; install it, or name it in DERMIS_IMPORT"};
}

Result<Bytes> run_importer(const ImportCall& call, const Progress& progress) {
  return Conversation(call, progress).run();
}

}  // namespace dermis
