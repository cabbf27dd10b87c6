// SPDX-License-Identifier: MIT
// Runs a fuzz target without libFuzzer: every corpus file as it is, then a fixed series of mutations of them.
//
//   NAME_fuzz [--runs N] [--seconds S] [--seed X] [--fresh] [--only .EXTENSION]… FILE|FOLDER…
//
// With --fresh every second input is random bytes instead, for targets that accept any.
// The same seed and corpus give the same inputs. A crash, a hang or too much memory fails, and the input that
// did it is left in crash-input.bin in the current folder.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

// Larger files make slow runs and reach no code that small ones do not.
constexpr std::uintmax_t kMaxSeedBytes = 256 * 1024;
// Processor time that one input of at most kMaxSeedBytes may take under a sanitizer: others may use the
// machine. Waiting for ever is ended by ctest.
constexpr int kMaxInputSeconds = 20;
// The loader's own limits are far below; a sanitizer's shadow memory is not counted here but its padding is.
constexpr long kMaxResidentKilobytes = 2l * 1024 * 1024;

const Bytes* current_input = nullptr;

// Only calls that a signal handler may make.
void leave_input_behind(int signal) {
  const int file = ::open("crash-input.bin", O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file >= 0 && current_input != nullptr) {
    [[maybe_unused]] const ssize_t written = ::write(file, current_input->data(), current_input->size());
    ::close(file);
  }
  constexpr std::string_view kMessage = "fuzz: the input is in crash-input.bin\n";
  [[maybe_unused]] const ssize_t said = ::write(2, kMessage.data(), kMessage.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// SIGPROF after so many seconds of processor time; 0: never.
void limit_seconds(int seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

void run(const Bytes& input) {
  current_input = &input;
  limit_seconds(kMaxInputSeconds);
  LLVMFuzzerTestOneInput(input.data(), input.size());
  limit_seconds(0);
  current_input = nullptr;
}

// xorshift64*: the same numbers on every machine, which std::uniform_int_distribution does not promise.
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1Dull;
  }
  std::size_t below(std::size_t count) { return count == 0 ? 0 : static_cast<std::size_t>(next() % count); }
};

using Place = Bytes::difference_type;

void flip_bytes(Bytes& bytes, Random& random) {
  for (std::size_t n = 1 + random.below(4); n > 0; --n) {
    bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1u << random.below(8));
  }
}

void cut(Bytes& bytes, Random& random) {
  const std::size_t from = random.below(bytes.size());
  const bool is_truncation = random.below(2) == 0;
  const std::size_t count =
      is_truncation ? bytes.size() - from : random.below(std::min<std::size_t>(64, bytes.size() - from));
  bytes.erase(bytes.begin() + static_cast<Place>(from), bytes.begin() + static_cast<Place>(from + count));
}

void double_block(Bytes& bytes, Random& random) {
  const std::size_t from = random.below(bytes.size());
  const std::size_t count = 1 + random.below(std::min<std::size_t>(256, bytes.size() - from));
  const Bytes block(bytes.begin() + static_cast<Place>(from),
                    bytes.begin() + static_cast<Place>(from + count));
  bytes.insert(bytes.begin() + static_cast<Place>(random.below(bytes.size())), block.begin(), block.end());
}

void write_extreme_word(Bytes& bytes, Random& random) {
  constexpr std::uint32_t kWords[] = {0,          1,          0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                                      0x7F800000, 0x7FC00000, 0xFF800000, 0x7F7FFFFF, 0x00000001};
  if (bytes.size() < 4) return;
  const std::size_t at = random.below(bytes.size() / 4) * 4;
  std::memcpy(bytes.data() + at, &kWords[random.below(std::size(kWords))], 4);
}

// Puts an extreme number where digits stand: counts, offsets and indices of text formats.
void write_extreme_digits(Bytes& bytes, Random& random) {
  constexpr std::string_view kNumbers[] = {"0",     "-1",         "1",          "255",
                                           "65536", "2147483648", "4294967295", "18446744073709551616",
                                           "1e999", "-1e-9",      "0.5"};
  const auto is_digit = [](std::uint8_t c) { return c >= '0' && c <= '9'; };
  const auto start = bytes.begin() + static_cast<Place>(random.below(bytes.size()));
  const auto first = std::find_if(start, bytes.end(), is_digit);
  const auto last = std::find_if_not(first, bytes.end(), is_digit);
  const std::string_view number = kNumbers[random.below(std::size(kNumbers))];
  const auto at = bytes.erase(first, last);
  bytes.insert(at, number.begin(), number.end());
}

void mutate(Bytes& bytes, Random& random) {
  constexpr void (*kMutations[])(Bytes&, Random&) = {
      flip_bytes, cut, double_block, write_extreme_word, write_extreme_digits, write_extreme_digits};
  for (std::size_t n = 1 + random.below(4); n > 0 && !bytes.empty(); --n) {
    kMutations[random.below(std::size(kMutations))](bytes, random);
  }
}

// As many as a character of a usual size is made from, at most.
constexpr std::size_t kMaxFreshBytes = 1024;

Bytes fresh_bytes(Random& random) {
  Bytes bytes(random.below(kMaxFreshBytes + 1));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next() >> 56);
  return bytes;
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

struct Arguments {
  std::uint64_t runs = 1000;
  double seconds = 10;
  std::uint64_t seed = 20240229;
  bool has_fresh = false;
  std::vector<std::filesystem::path> extensions;  // of corpus files in folders; empty: all
  std::vector<std::filesystem::path> places;
};

bool is_seed(const std::filesystem::directory_entry& entry, const Arguments& arguments) {
  const auto& only = arguments.extensions;
  return entry.is_regular_file() && entry.file_size() <= kMaxSeedBytes &&
         (only.empty() || std::find(only.begin(), only.end(), entry.path().extension()) != only.end());
}

std::vector<Bytes> read_corpus(const Arguments& arguments) {
  std::vector<std::filesystem::path> files;
  for (const auto& place : arguments.places) {
    if (!std::filesystem::is_directory(place)) {
      if (std::filesystem::exists(place)) files.push_back(place);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
      if (is_seed(entry, arguments)) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> corpus{Bytes{}};
  for (const auto& file : files) corpus.push_back(read_file(file));
  return corpus;
}

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const bool has_value = i + 1 < count;
    if (word == "--runs" && has_value) {
      arguments.runs = std::strtoull(words[++i], nullptr, 10);
    } else if (word == "--seconds" && has_value) {
      arguments.seconds = std::strtod(words[++i], nullptr);
    } else if (word == "--seed" && has_value) {
      arguments.seed = std::strtoull(words[++i], nullptr, 10);
    } else if (word == "--fresh") {
      arguments.has_fresh = true;
    } else if (word == "--only" && has_value) {
      arguments.extensions.emplace_back(words[++i]);
    } else {
      arguments.places.emplace_back(word);
    }
  }
  if (const char* data = std::getenv("DERMIS_DATA"))
    arguments.places.push_back(std::filesystem::path(data) / "gltf");
  return arguments;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words);
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGPROF}) {
    std::signal(signal, leave_input_behind);
  }
  const std::vector<Bytes> corpus = read_corpus(arguments);
  std::printf("fuzz: seed %llu, %zu corpus files\n", static_cast<unsigned long long>(arguments.seed),
              corpus.size());
  std::fflush(stdout);
  for (const Bytes& input : corpus) run(input);

  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(arguments.seconds);
  Random random{arguments.seed | 1};
  std::uint64_t done = 0;
  while (done < arguments.runs && Clock::now() < end) {
    // The first file of the corpus is empty and has no mutations.
    const bool is_fresh = arguments.has_fresh && (done % 2 == 0 || corpus.size() == 1);
    Bytes input = is_fresh ? fresh_bytes(random) : corpus[random.below(corpus.size())];
    if (!is_fresh) mutate(input, random);
    run(input);
    ++done;
  }

  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("fuzz: %llu inputs survived, %ld MB at most\n", static_cast<unsigned long long>(done),
              usage.ru_maxrss / 1024);
  return usage.ru_maxrss > kMaxResidentKilobytes ? 1 : 0;
}
