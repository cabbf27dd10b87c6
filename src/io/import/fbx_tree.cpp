// SPDX-License-Identifier: MIT
// Reads the records of FBX files: binary with 32-bit and 64-bit offsets, and text.
#include "io/import/fbx_tree.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/text.h"

namespace dermis {
namespace {

// Files made by programs nest six records or so.
constexpr std::size_t kMostFbxDepth = 64;
constexpr std::string_view kBinaryStart{"Kaydara FBX Binary  \0", 21};
constexpr std::size_t kBinaryHeader = 27;  // magic, two bytes, version
constexpr std::uint32_t kFirstWideVersion = 7500;

Error broken_fbx(std::string_view what) {
  return {Errc::bad_file, fmt::format("its FBX records are broken: {}", what)};
}

// ---- Binary -------------------------------------------------------------------------------------------

template <class Number>
std::optional<Number> take(std::string_view& bytes) {
  if (bytes.size() < sizeof(Number)) return std::nullopt;
  Number number;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

// The size of a single value, or of an element of an array; 0 for anything else.
std::size_t size_of_type(char type) {
  switch (type) {
    case 'C':
    case 'B':
    case 'b':
    case 'c':
      return 1;
    case 'Y':
      return 2;
    case 'I':
    case 'F':
    case 'i':
    case 'f':
      return 4;
    case 'L':
    case 'D':
    case 'l':
    case 'd':
      return 8;
    default:
      return 0;
  }
}

FbxValue number_of(char type, std::string_view bytes) {
  FbxValue value;
  const auto set = [&](auto number) {
    value.number = static_cast<double>(number);
    if constexpr (std::is_integral_v<decltype(number)>) value.whole = number;
  };
  switch (type) {
    case 'C':
    case 'B':
    case 'b':
    case 'c':
      set(*take<std::uint8_t>(bytes));
      break;
    case 'Y':
      set(*take<std::int16_t>(bytes));
      break;
    case 'I':
    case 'i':
      set(*take<std::int32_t>(bytes));
      break;
    case 'L':
    case 'l':
      set(*take<std::int64_t>(bytes));
      break;
    case 'F':
    case 'f':
      set(*take<float>(bytes));
      break;
    default:
      set(*take<double>(bytes));
  }
  return value;
}

bool is_array_type(char type) { return type >= 'a' && type <= 'z'; }

// Cuts one single value off `bytes`; nullopt for an array and for a fault.
std::optional<FbxValue> take_single(std::string_view& bytes) {
  if (bytes.empty()) return std::nullopt;
  const char type = bytes.front();
  bytes.remove_prefix(1);
  if (type == 'S' || type == 'R') {
    const auto size = take<std::uint32_t>(bytes);
    if (!size || *size > bytes.size()) return std::nullopt;
    FbxValue value;
    value.text = bytes.substr(0, *size);
    bytes.remove_prefix(*size);
    return value;
  }
  const std::size_t size = size_of_type(type);
  if (size == 0 || is_array_type(type) || bytes.size() < size) return std::nullopt;
  const FbxValue value = number_of(type, bytes.substr(0, size));
  bytes.remove_prefix(size);
  return value;
}

// `expected` bytes out of zlib's; nullopt unless it is exactly that many.
std::optional<std::vector<char>> inflated(std::string_view packed, std::size_t expected) {
  std::vector<char> bytes(expected);
  auto size = static_cast<uLongf>(expected);
  const int state =
      ::uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                   reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
  if (state != Z_OK || size != expected) return std::nullopt;
  return bytes;
}

std::optional<std::vector<double>> array_of(std::string_view bytes, std::size_t most) {
  const char type = bytes.front();
  bytes.remove_prefix(1);
  const auto count = take<std::uint32_t>(bytes), encoding = take<std::uint32_t>(bytes),
             packed_size = take<std::uint32_t>(bytes);
  const std::size_t size = size_of_type(type);
  if (!packed_size || size == 0 || *count > most || *packed_size > bytes.size()) return std::nullopt;
  std::string_view raw = bytes.substr(0, *packed_size);
  std::vector<char> unpacked;
  if (*encoding == 1) {
    auto got = inflated(raw, *count * size);
    if (!got) return std::nullopt;
    unpacked = std::move(*got);
    raw = {unpacked.data(), unpacked.size()};
  }
  if (*encoding > 1 || raw.size() < *count * size) return std::nullopt;
  std::vector<double> numbers;
  numbers.reserve(*count);
  for (std::size_t i = 0; i < *count; ++i)
    numbers.push_back(number_of(type, raw.substr(i * size, size)).number);
  return numbers;
}

class BinaryFbx {
 public:
  BinaryFbx(std::string_view file, FbxTree& tree)
      : file_(file), tree_(tree), is_wide_(tree.version >= kFirstWideVersion) {}

  Status read() {
    at_ = kBinaryHeader;
    return read_list(0, file_.size(), 0);
  }

 private:
  struct Head {
    std::uint64_t end = 0, value_count = 0, value_size = 0;
    std::string_view name;
  };

  std::uint64_t offset(std::string_view& bytes) const {
    return is_wide_ ? *take<std::uint64_t>(bytes) : *take<std::uint32_t>(bytes);
  }

  std::optional<Head> head(std::uint64_t end) {
    const std::size_t fixed = is_wide_ ? 25 : 13;
    if (end - at_ < fixed) return std::nullopt;
    std::string_view bytes = file_.substr(at_, fixed);
    Head head;
    head.end = offset(bytes);
    head.value_count = offset(bytes);
    head.value_size = offset(bytes);
    const std::size_t name_size = *take<std::uint8_t>(bytes);
    at_ += fixed;
    if (end - at_ < name_size) return std::nullopt;
    head.name = file_.substr(at_, name_size);
    at_ += name_size;
    return head;
  }

  // Records up to `end`, or up to the one that is all zeros.
  Status read_list(Index parent, std::uint64_t end, std::size_t depth) {
    if (depth > kMostFbxDepth) return broken_fbx("they are nested too deeply");
    Index last = kNone;
    while (at_ < end) {
      const std::optional<Head> found = head(end);
      if (!found) return broken_fbx("a record is cut off");
      if (found->end == 0) return Done{};
      if (found->end > end || found->end < at_ || found->value_size > found->end - at_ ||
          found->value_count > found->value_size)
        return broken_fbx("a record is longer than the one that holds it");
      last = tree_.append(parent, last,
                          {found->name, file_.substr(at_, found->value_size),
                           static_cast<std::uint32_t>(found->value_count), kNone, kNone});
      at_ += found->value_size;
      if (at_ < found->end) {
        if (Status read = read_list(last, found->end, depth + 1); !read) return read;
      }
      at_ = found->end;
    }
    // The file's own list ends with a record of zeros.
    return parent == 0 ? Status(broken_fbx("the file ends early")) : Status(Done{});
  }

  std::string_view file_;
  FbxTree& tree_;
  bool is_wide_;
  std::uint64_t at_ = 0;
};

// ---- Text ---------------------------------------------------------------------------------------------

bool is_word_byte(char c) {
  return !is_blank(c) && c != '\n' && c != ',' && c != ':' && c != '{' && c != '}' && c != '"' && c != ';';
}

// Cuts blanks, line ends and comments off `text`.
void skip_space(std::string_view& text) {
  while (!text.empty()) {
    if (text.front() == ';') {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.front() == '\n' || is_blank(text.front())) {
      text.remove_prefix(1);
    } else {
      return;
    }
  }
}

// Cuts a value off `text`: a string in quotes, "*16", or a word.
std::string_view take_text_value(std::string_view& text) {
  std::size_t end = 0;
  if (text.starts_with('"')) {
    end = std::min(text.find('"', 1), text.size() - 1) + 1;
  } else {
    while (end < text.size() && is_word_byte(text[end])) ++end;
  }
  const std::string_view value = text.substr(0, end);
  text.remove_prefix(end);
  return value;
}

class TextFbx {
 public:
  TextFbx(std::string_view file, FbxTree& tree) : rest_(file), tree_(tree) {}

  Status read() { return read_list(0, 0); }

 private:
  Status read_list(Index parent, std::size_t depth) {
    if (depth > kMostFbxDepth) return broken_fbx("they are nested too deeply");
    Index last = kNone;
    while (true) {
      skip_space(rest_);
      if (rest_.empty()) return parent == 0 ? Status(Done{}) : Status(broken_fbx("the file ends early"));
      if (rest_.front() == '}') {
        if (parent == 0) return broken_fbx("a '}' closes nothing");
        rest_.remove_prefix(1);
        return Done{};
      }
      const std::string_view name = take_text_value(rest_);
      skip_space(rest_);
      if (name.empty() || !rest_.starts_with(':')) return broken_fbx("a record has no name");
      rest_.remove_prefix(1);
      last = tree_.append(parent, last, {name, take_values(), 0, kNone, kNone});
      skip_space(rest_);
      if (rest_.starts_with('{')) {
        rest_.remove_prefix(1);
        if (Status read = read_list(last, depth + 1); !read) return read;
      }
    }
  }

  // Values up to the one that no comma follows. The first stands on the line of the name.
  std::string_view take_values() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    const char* const start = rest_.data();
    const char* end = start;
    while (true) {
      const std::string_view value = take_text_value(rest_);
      end = value.data() + value.size();
      std::string_view ahead = rest_;
      skip_space(ahead);
      if (!ahead.starts_with(',')) return {start, static_cast<std::size_t>(end - start)};
      ahead.remove_prefix(1);
      skip_space(ahead);
      rest_ = ahead;
    }
  }

  std::string_view rest_;
  FbxTree& tree_;
};

FbxValue text_value(std::string_view word) {
  FbxValue value;
  if (word.starts_with('"')) {
    value.text = word.substr(1, word.size() < 2 ? 0 : word.size() - 2);
    return value;
  }
  if (const auto whole = parse_number<std::int64_t>(word)) {
    value.whole = *whole;
    value.number = static_cast<double>(*whole);
  } else if (const auto number = parse_number<double>(word)) {
    value.number = *number;
  } else {
    value.text = word;
  }
  return value;
}

// Calls `use` with each word of a list; stops when it returns false.
template <class Use>
void each_word(std::string_view text, const Use& use) {
  while (!text.empty()) {
    skip_space(text);
    const std::string_view word = take_text_value(text);
    if (!word.empty() && !use(word)) return;
    skip_space(text);
    if (!text.empty()) text.remove_prefix(1);  // the comma
  }
}

// The record FBXVersion; 0 if there is none.
std::uint32_t text_version(const FbxTree& tree) {
  const Index header = tree.child(0, "FBXHeaderExtension");
  const std::vector<FbxValue> stated = tree.values(tree.child(header, "FBXVersion"), 1);
  const bool is_plausible = !stated.empty() && stated[0].whole > 0 && stated[0].whole < 100'000;
  return is_plausible ? static_cast<std::uint32_t>(stated[0].whole) : 0;
}

}  // namespace

Index FbxTree::append(Index parent, Index before, const FbxRecord& record) {
  const auto index = static_cast<Index>(records.size());
  records.push_back(record);
  (before == kNone ? records[at(parent)].first_child : records[at(before)].next) = index;
  return index;
}

Index FbxTree::child(Index parent, std::string_view name) const {
  if (parent == kNone) return kNone;
  Index at = records[static_cast<std::size_t>(parent)].first_child;
  while (at != kNone && records[static_cast<std::size_t>(at)].name != name)
    at = records[static_cast<std::size_t>(at)].next;
  return at;
}

std::vector<FbxValue> FbxTree::values(Index record, std::size_t most) const {
  std::vector<FbxValue> found;
  if (record == kNone) return found;
  const FbxRecord& from = records[static_cast<std::size_t>(record)];
  if (!is_binary) {
    each_word(from.values, [&](std::string_view word) {
      if (found.size() == most || word.front() == '*') return false;
      found.push_back(text_value(word));
      return true;
    });
    return found;
  }
  std::string_view bytes = from.values;
  while (found.size() < std::min<std::size_t>(most, from.value_count)) {
    const std::optional<FbxValue> value = take_single(bytes);
    if (!value) break;
    found.push_back(*value);
  }
  return found;
}

std::optional<std::vector<double>> FbxTree::numbers(Index record, std::size_t most) const {
  if (record == kNone) return std::nullopt;
  const FbxRecord& from = records[static_cast<std::size_t>(record)];
  if (is_binary && !from.values.empty() && is_array_type(from.values.front()))
    return array_of(from.values, most);
  // Text writes an array as "*16 { a: 1,0,... }".
  const bool is_text_array = !is_binary && from.values.starts_with('*');
  const Index list = is_text_array ? child(record, "a") : record;
  if (list == kNone) return std::nullopt;
  const std::vector<FbxValue> singles = values(list, most + 1);
  if (singles.size() > most) return std::nullopt;
  std::vector<double> numbers;
  for (const FbxValue& value : singles) {
    if (!value.text.empty()) return std::nullopt;
    numbers.push_back(value.number);
  }
  return numbers;
}

Result<FbxTree> read_fbx_tree(std::span<const std::byte> file) {
  return without_throwing("FBX", [&]() -> Result<FbxTree> {
    const std::string_view bytes{reinterpret_cast<const char*>(file.data()), file.size()};
    FbxTree tree;
    tree.records.emplace_back();
    tree.is_binary = bytes.starts_with(kBinaryStart);
    if (file.size() > std::numeric_limits<std::uint32_t>::max())
      return Error{Errc::unsupported, "its FBX records take more than 4 GB"};
    if (tree.is_binary) {
      if (bytes.size() < kBinaryHeader) return broken_fbx("the file ends early");
      std::string_view version = bytes.substr(kBinaryHeader - sizeof(std::uint32_t));
      tree.version = *take<std::uint32_t>(version);
      if (Status read = BinaryFbx(bytes, tree).read(); !read) return read.error();
    } else {
      if (Status read = TextFbx(bytes, tree).read(); !read) return read.error();
      tree.version = text_version(tree);
    }
    if (tree.version < 6000 || tree.version > 7999)
      return Error{Errc::unsupported, fmt::format("its FBX version is {}", tree.version)};
    return tree;
  });
}

}  // namespace dermis
