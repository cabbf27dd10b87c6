// SPDX-License-Identifier: MIT
// dermis-import FILE: reads any file that assimp reads and writes a GLB to stdout, within limits it sets for
// itself.
//
//   dermis-import [--max-memory BYTES] [--seconds N] [--up y|z] FILE
//   dermis-import [...] --stdin-as .EXTENSION <FILE
//
// Exit codes: 0 fine, 1 the file cannot be read, 2 a wrong call, 3 out of memory; the first line of stderr is
// the sentence. The notes and what glTF cannot store are in extras (docs/decisions.md).
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <string_view>

#include "io/import/confine.h"
#include "io/import/import.h"
#include "scene.h"

namespace dermis::import {
namespace {

constexpr std::uint64_t kDefaultMemory = std::uint64_t{8} << 30;
constexpr std::uint64_t kDefaultSeconds = 120;
// Address space of the program and its libraries, before it has read anything.
constexpr std::uint64_t kOwnMemory = std::uint64_t{512} << 20;

// Processor time for an empty file, and the time that each byte adds. The slowest of assimp's 287 test
// models, a subdivision surface of 86 kB, takes 0.4 s, and 4 MB of IFC 0.2 s; a broken file that makes it
// loop is stopped.
constexpr std::uint64_t kBaseSeconds = 6;
constexpr std::uint64_t kBytesPerSecond = 250'000;
// How much memory a byte of text may need while it is read.
constexpr std::uint64_t kMemoryPerByte = 64;
// Memory that a file may take, whatever is allowed: a small one that takes more is broken, or made to. A text
// in a ZIP is about ten times its size; nodes that hold the same nodes twice, level after level, know no end.
constexpr std::uint64_t kBaseMemory = std::uint64_t{512} << 20;
constexpr std::uint64_t kMostMemoryPerByte = 1024;

struct Arguments {
  std::uint64_t max_memory = kDefaultMemory;
  std::uint64_t seconds = kDefaultSeconds;
  UpAxis up = UpAxis::guess;
  std::string path;
  std::string stdin_as;
};

// Libraries print anywhere; only output meant for the parent leaves this program.
struct Outlets {
  int out = -1, err = -1;
  Outlets() : out(::dup(STDOUT_FILENO)), err(::dup(STDERR_FILENO)) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  static bool write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
  }
  int end_with(int code, const std::string& sentence) const {
    write_all(err, bytes_of(sentence + "\n"));
    return code;
  }
};

bool parse_count(std::string_view word, std::uint64_t& out) {
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), out);
  return fault == std::errc{} && end == word.data() + word.size() && out > 0;
}

bool parse(std::span<char*> words, Arguments& out) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with('-')) {
      if (!out.path.empty()) return false;
      out.path = word;
      continue;
    }
    if (++i == words.size()) return false;
    const std::string_view value = words[i];
    if (word == "--max-memory") {
      if (!parse_count(value, out.max_memory)) return false;
    } else if (word == "--seconds") {
      if (!parse_count(value, out.seconds)) return false;
    } else if (word == "--up" && (value == "y" || value == "z")) {
      out.up = value == "z" ? UpAxis::z : UpAxis::y;
    } else if (word == "--stdin-as" && value.starts_with('.') && value.size() > 1) {
      out.stdin_as = value;
    } else {
      return false;
    }
  }
  return out.path.empty() != out.stdin_as.empty();
}

// The hard limit is above the soft one: at the hard limit the kernel kills without a reason.
void limit(int resource, std::uint64_t amount) {
  const rlimit wanted{amount, amount + 1};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &wanted);
}

#ifdef DERMIS_IMPORT_IS_SANITIZED
// The sanitizers' shadow memory is terabytes of address space, and they read files to word their reports.
void limit_memory(std::uint64_t) {}
Confinement confine(const Input&) { return {true, true}; }
#else
// Bytes of writable memory of this program before it has read anything.
std::uint64_t data_in_use() {
  constexpr std::uint64_t kUnknown = std::uint64_t{64} << 20;
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  for (int column = 0; column < 6; ++column) file >> pages;  // the sixth is data and stack
  return file ? pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : kUnknown;
}

void limit_memory(std::uint64_t max_memory) {
  static const std::uint64_t used = data_in_use();
  limit(RLIMIT_AS, max_memory + kOwnMemory);
  limit(RLIMIT_DATA, max_memory + used);
}

// Without a path, the bytes are all that it gets.
Confinement confine(const Input& input) {
  return confine_self(input.path, input.path.empty() ? "" : folder_of(input.path));
}
#endif

// From here on, a file that needs too much ends only this program.
void limit_self(const Arguments& arguments) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, arguments.seconds);
  limit_memory(arguments.max_memory);
}

Result<Bytes> read_stdin(std::uint64_t max_bytes) {
  Bytes bytes;
  std::vector<std::byte> block(1 << 16);
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{Errc::unreadable, "its bytes cannot be read"};
    if (got == 0) return bytes;
    bytes.insert(bytes.end(), block.begin(), block.begin() + got);
    if (bytes.size() > max_bytes) return Error{Errc::too_large, "it is too large"};
  }
}

// Collada may omit the axis; packed files are not examined.
bool states_up(const Input& input) {
  return input.extension != ".dae" || dermis::text_of(input.bytes).find("<up_axis") != std::string_view::npos;
}

// What the kernel does not enforce is worth knowing.
void note_confinement(const Confinement& confined, Notes& notes) {
  if (confined.reads_only_its_folder && confined.changes_nothing) return;
  const char* const lacking = confined.reads_only_its_folder ? "seccomp"
                              : confined.changes_nothing     ? "Landlock"
                                                             : "Landlock and seccomp";
  notes.push_back(
      {Note::Kind::info, "import-not-confined",
       fmt::format("this kernel does not offer {}: a broken file that takes control of dermis-import "
                   "has your rights; read files from strangers elsewhere",
                   lacking)});
}

Result<Bytes> convert_file(const Input& input, const Arguments& arguments, const Confinement& confinement) {
  // A Collada document is read once more for each of its clips.
  std::uint64_t readings = 1;
  if (input.extension == ".dae") {
    const Result<ColladaClips> collada = read_collada_clips(dermis::text_of(input.bytes));
    if (collada) readings += collada->clips.size();
  }
  limit(RLIMIT_CPU,
        std::min(arguments.seconds, kBaseSeconds + readings * input.bytes.size() / kBytesPerSecond));
  // Never destroyed: assimp's scenes may hold a bone twice, and this program ends with _exit.
  static Assimp::Importer importer;
  const Result<const aiScene*> scene = read_scene(importer, input);
  // Parsers that run out of memory often call the file broken.
  const bool is_short_of_memory = arguments.max_memory / kMemoryPerByte < input.bytes.size();
  if (!scene && is_short_of_memory) return Error(scene.error()).with_remedy("max_memory");
  if (!scene) return scene.error();
  const Origin origin{stem_of(input.path), input.path.empty() ? "" : folder_of(input.path), input.extension,
                      arguments.up, states_up(input)};
  Result<Imported> imported = convert_scene(**scene, origin, input.bytes);
  if (!imported) return imported.error();
  note_confinement(confinement, imported->notes);
  return pack_import(imported->character, imported->notes);
}

Result<Bytes> import_file(const Arguments& arguments) {
  Input input;
  input.path = arguments.path;
  input.extension = arguments.path.empty() ? arguments.stdin_as : extension_of(arguments.path);
  Result<Bytes> bytes =
      input.path.empty() ? read_stdin(arguments.max_memory) : read_file(input.path, arguments.max_memory);
  if (!bytes) return bytes.error();
  input.bytes = std::move(*bytes);
  const std::uint64_t plausible = kBaseMemory + input.bytes.size() * kMostMemoryPerByte;
  limit_memory(std::min(arguments.max_memory, plausible));
  const Confinement confinement = confine(input);
  Result<Bytes> glb =
      without_throwing("dermis-import", [&] { return convert_file(input, arguments, confinement); });
  if (glb || glb.error().code != Errc::too_large || plausible >= arguments.max_memory) return glb;
  return Error{
      Errc::bad_file,
      fmt::format("needs more than {} MB of memory, too much for a file of {} bytes; it is broken, or "
                  "repeats itself without end: convert it to glTF elsewhere",
                  plausible >> 20, input.bytes.size())};
}

int run(std::span<char*> words) {
  const Outlets outlets;
  Arguments arguments;
  if (!parse(words, arguments)) {
    return outlets.end_with(
        kImportUsage,
        "usage: dermis-import [--max-memory BYTES] [--seconds N] [--up y|z] FILE | --stdin-as .EXT");
  }
  set_thread_count(1);  // stacks of threads would count as memory; assimp has one thread anyway
  limit_self(arguments);
  const Result<Bytes> glb =
      without_throwing("dermis-import", [&]() -> Result<Bytes> { return import_file(arguments); });
  if (!glb) {
    const bool is_doubted = !glb.error().remedies.empty();
    return outlets.end_with(glb.error().code == Errc::too_large ? kImportOutOfMemory
                            : is_doubted                        ? kImportDoubted
                                                                : kImportRefused,
                            glb.error().sentence);
  }
  if (!Outlets::write_all(outlets.out, *glb))
    return outlets.end_with(kImportRefused, "its GLB cannot be written");
  return 0;
}

}  // namespace
}  // namespace dermis::import

int main(int argc, char** argv) {
  // Libraries are not torn down: everything is written, and a crash would undo that.
  ::_exit(dermis::import::run({argv, static_cast<std::size_t>(argc)}));
}
