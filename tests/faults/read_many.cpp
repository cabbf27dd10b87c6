// SPDX-License-Identifier: MIT
// Reads and converts many files in one process, for tools/soak: starting the command costs more than a small
// file does.
//
// Each line of stdin is an input and an output, separated by a tab. Each line of stdout answers it: "loads",
// "refused", or "fault" with what is wrong. A file that ends the process is the one without an answer.
#include <filesystem>
#include <iostream>
#include <string>

#include "dermis/ops.h"

namespace {

using namespace dermis;

// What a file of at most 256 KiB may take; the rest is a bomb that must be refused.
constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 30;

// What is wrong with an error, or nothing.
std::string fault_of(const Error& error) {
  if (error.sentence.empty()) return "an error without a sentence";
  if (error.sentence.find('\n') != std::string::npos) return "an error of several lines";
  if (error.code == Errc::internal) return "a library threw: " + error.sentence;
  return {};
}

std::string answer(const std::string& input, const std::string& output) {
  InfoJob look;
  look.input = input;
  look.run.max_memory = kMaxMemory;
  if (const Result<InfoReport> seen = info(look); !seen) {
    const std::string fault = fault_of(seen.error());
    return fault.empty() ? "refused" : "fault info: " + fault;
  }
  ConvertJob job;
  job.input = input;
  job.output = output;
  job.run.max_memory = kMaxMemory;
  const Result<ConvertReport> converted = convert(job);
  if (std::filesystem::exists(output) != converted.ok()) return "fault convert left the wrong files behind";
  if (converted) return "loads";
  const std::string fault = fault_of(converted.error());
  return fault.empty() ? "refused" : "fault convert: " + fault;
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) return 2;
    std::cout << answer(line.substr(0, tab), line.substr(tab + 1)) << std::endl;
  }
  return 0;
}
