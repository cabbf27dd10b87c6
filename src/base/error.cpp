// SPDX-License-Identifier: MIT
// Names of error and note kinds, and the one place where library exceptions become sentences.
#include <exception>
#include <new>
#include <stdexcept>

#include "base/ledger.h"
#include "dermis/base.h"

namespace dermis {
namespace {

// Error sentences have no newline and no full stop; library messages often do.
std::string one_line(std::string_view words) {
  std::string line(words);
  for (char& c : line) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line;
}

Error describe_current_exception(std::string_view what) {
  const std::string prefix(what);
  try {
    throw;
  } catch (const std::bad_alloc&) {
    if (const std::optional<std::uint64_t> limit = refused_limit()) {
      const std::string words = ": needs more memory than the allowed " + std::to_string(*limit) + " bytes";
      return Error{Errc::too_large, prefix + words}.with_remedy("max_memory");
    }
    return {Errc::too_large, prefix + ": not enough memory"};
  } catch (const std::length_error&) {
    // Thrown by a standard container that is asked for more than its maximum size.
    return {Errc::too_large, prefix + ": more elements than a container can hold"};
  } catch (const std::exception& e) {
    return {Errc::internal, prefix + ": " + one_line(e.what())};
  } catch (...) {
    return {Errc::internal, prefix + ": a library threw something that is not a std::exception"};
  }
}

}  // namespace

const char* name_of(Errc code) {
  switch (code) {
    case Errc::unreadable:
      return "unreadable";
    case Errc::bad_file:
      return "bad_file";
    case Errc::bad_rig:
      return "bad_rig";
    case Errc::unsupported:
      return "unsupported";
    case Errc::too_large:
      return "too_large";
    case Errc::usage:
      return "usage";
    case Errc::bad_argument:
      return "bad_argument";
    case Errc::cancelled:
      return "cancelled";
    case Errc::internal:
      return "internal";
  }
  return "internal";
}

Error prefixed(std::string_view place, Error error) {
  error.sentence.insert(0, std::string(place) + ": ");
  return error;
}

Error error_from_current_exception(std::string_view what) {
  try {
    return describe_current_exception(what);
  } catch (...) {
    // Memory ran out while composing the sentence. This one is short enough to need no allocation.
    return {Errc::too_large, "out of memory"};
  }
}

const char* name_of(Note::Kind kind) {
  switch (kind) {
    case Note::Kind::info:
      return "info";
    case Note::Kind::guess:
      return "guess";
    case Note::Kind::repair:
      return "repair";
    case Note::Kind::loss:
      return "loss";
  }
  return "info";
}

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    default:
      return "error";
  }
}

}  // namespace dermis
