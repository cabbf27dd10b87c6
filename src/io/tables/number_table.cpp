// SPDX-License-Identifier: MIT
// Matrices of numbers: NumPy's .npy, and comma-separated values.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "dermis/io/tables.h"
#include "io/csv_records.h"
#include "io/file.h"
#include "io/format_text.h"
#include "io/utf8.h"

namespace dermis {
namespace {

constexpr std::uint64_t kMostTableBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kMostNamesBytes = std::uint64_t{16} << 20;
constexpr std::string_view kNpyMagic = "\x93NUMPY";

Error table_fault(const std::string& file, const std::string& words) {
  return {Errc::bad_file, fmt::format("{}: {}", file, words)};
}

// ---- .npy: numpy.lib.format, versions 1.0 to 3.0 ----------------------------------------------------------

struct NpyHead {
  std::string type;  // "<f4"
  bool is_fortran = false;
  std::vector<std::uint64_t> shape;
  std::size_t data = 0;  // where the numbers begin
};

// The header is a Python dictionary with these three keys, in any order.
class NpyHeadReader {
 public:
  NpyHeadReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<NpyHead> read() {
    NpyHead head;
    bool has_type = false, has_order = false, has_shape = false;
    if (!take('{')) return wrong();
    while (!take('}')) {
      const std::optional<std::string> key = take_string();
      if (!key || !take(':')) return wrong();
      bool is_good = false;
      if (*key == "descr") {
        const std::optional<std::string> type = take_string();
        is_good = has_type = type.has_value();
        if (type) head.type = *type;
      } else if (*key == "fortran_order") {
        is_good = has_order = true;
        if (take_word("True"))
          head.is_fortran = true;
        else
          is_good = take_word("False");
      } else if (*key == "shape") {
        is_good = has_shape = take_shape(head.shape);
      }
      if (!is_good) return wrong();
      if (!take(',') && (text_.empty() || text_.front() != '}')) return wrong();
    }
    if (!has_type || !has_order || !has_shape) return wrong();
    return head;
  }

 private:
  Error wrong() const { return table_fault(file_, "its header is not that of an array of numbers"); }
  void skip() {
    while (!text_.empty() && (is_blank(text_.front()) || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool take(char sign) {
    skip();
    if (text_.empty() || text_.front() != sign) return false;
    text_.remove_prefix(1);
    skip();
    return true;
  }
  bool take_word(std::string_view word) {
    skip();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    skip();
    return true;
  }
  std::optional<std::string> take_string() {
    skip();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string string(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    skip();
    return string;
  }
  bool take_shape(std::vector<std::uint64_t>& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      std::size_t digits = 0;
      while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9') ++digits;
      const std::optional<std::uint64_t> size = parse_number<std::uint64_t>(text_.substr(0, digits));
      if (!size || shape.size() > 8) return false;
      shape.push_back(*size);
      text_.remove_prefix(digits);
      if (!take(',') && (text_.empty() || text_.front() != ')')) return false;
    }
    return true;
  }

  std::string_view text_;
  const std::string& file_;
};

Result<NpyHead> npy_head(std::string_view bytes, const std::string& file) {
  if (!bytes.starts_with(kNpyMagic) || bytes.size() < 12) return table_fault(file, "is not a .npy file");
  const auto byte = [&](std::size_t k) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[k]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return Error{Errc::unsupported,
                 fmt::format("{}: is of version {} of .npy; 1 to 3 can be read", file, version)};
  const std::size_t length_bytes = version == 1 ? 2 : 4, begin = 8 + length_bytes;
  std::size_t length = 0;
  for (std::size_t k = 0; k < length_bytes; ++k) length |= byte(8 + k) << (8 * k);
  if (length > bytes.size() - begin) return table_fault(file, "ends within its header");
  Result<NpyHead> head = NpyHeadReader(bytes.substr(begin, length), file).read();
  if (head) head->data = begin + length;
  return head;
}

template <class Unsigned>
double number_at(const char* at, bool is_big_endian) {
  Unsigned bits = 0;
  for (std::size_t k = 0; k < sizeof(Unsigned); ++k) {
    const std::size_t place = is_big_endian ? sizeof(Unsigned) - 1 - k : k;
    bits |= static_cast<Unsigned>(static_cast<unsigned char>(at[place])) << (8 * k);
  }
  if constexpr (sizeof(Unsigned) == 4)
    return static_cast<double>(std::bit_cast<float>(bits));
  else
    return std::bit_cast<double>(bits);
}

Result<NumberTable> parse_npy(std::string_view bytes, const std::string& file) {
  const Result<NpyHead> head = npy_head(bytes, file);
  if (!head) return head.error();
  const std::string& type = head->type;
  const bool is_known = type.size() == 3 && (type[0] == '<' || type[0] == '>' || type[0] == '=') &&
                        type[1] == 'f' && (type[2] == '4' || type[2] == '8');
  if (!is_known)
    return Error{Errc::unsupported, fmt::format("{}: holds numbers of type {}; save it as float32 or float64",
                                                file, quoted_name(type))};
  if (head->shape.empty() || head->shape.size() > 2)
    return Error{Errc::unsupported, fmt::format("{}: has {} dimensions; a matrix has two: rows and columns",
                                                file, head->shape.size())};
  const std::size_t width = type[2] == '4' ? 4 : 8;
  const std::uint64_t rows = head->shape[0], columns = head->shape.size() == 2 ? head->shape[1] : 1;
  const std::uint64_t room = (bytes.size() - head->data) / width;
  // Divided, because the product may overflow. Rows without columns need no bytes, so they are bounded too.
  if (rows > kMostTableBytes || columns > kMostTableBytes || (columns > 0 && rows > room / columns))
    return table_fault(file, fmt::format("states {} x {} numbers, but holds {}", rows, columns, room));
  NumberTable table;
  table.row_count = static_cast<std::size_t>(rows), table.column_count = static_cast<std::size_t>(columns);
  table.values.resize(table.row_count * table.column_count);
  const bool is_big = type[0] == '>';
  const char* const data = bytes.data() + head->data;
  for (std::size_t k = 0; k < table.column_count; ++k)
    for (std::size_t r = 0; r < table.row_count; ++r) {
      const std::size_t place = head->is_fortran ? k * table.row_count + r : r * table.column_count + k;
      table.values[k * table.row_count + r] = width == 4 ? number_at<std::uint32_t>(data + 4 * place, is_big)
                                                         : number_at<std::uint64_t>(data + 8 * place, is_big);
    }
  return table;
}

// Version 1.0, C order, as numpy.save writes it: the numbers begin at a multiple of 64.
std::string npy_bytes(const NumberTable& table, NumberWidth width) {
  const bool is_float = width == NumberWidth::float32;
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                 is_float ? "<f4" : "<f8", table.row_count, table.column_count);
  constexpr std::size_t kBefore = 10, kAligned = 64;
  const std::size_t whole = (kBefore + head.size() + 1 + kAligned - 1) / kAligned * kAligned;
  head.resize(whole - kBefore - 1, ' ');
  head += '\n';
  std::string bytes(kNpyMagic);
  bytes += {'\x01', '\x00', static_cast<char>(head.size() & 255), static_cast<char>(head.size() >> 8)};
  bytes += head;
  bytes.reserve(bytes.size() + table.values.size() * (is_float ? 4 : 8));
  const auto add = [&bytes](auto bits) {
    for (std::size_t k = 0; k < sizeof(bits); ++k) bytes += static_cast<char>((bits >> (8 * k)) & 255);
  };
  for (std::size_t r = 0; r < table.row_count; ++r)
    for (std::size_t k = 0; k < table.column_count; ++k) {
      const double value = table.values[k * table.row_count + r];
      if (is_float)
        add(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
      else
        add(std::bit_cast<std::uint64_t>(value));
    }
  return bytes;
}

// ---- .csv -------------------------------------------------------------------------------------------------

Result<NumberTable> parse_table_csv(std::string_view text, const std::string& file) {
  CsvReader reader(text);
  NumberTable table;
  std::vector<std::string> fields;
  if (!reader.next(fields)) return table_fault(file, "is empty");
  for (const std::string& field : fields) table.names.push_back(as_utf8(field));
  table.column_count = fields.size();
  std::vector<double> by_rows;
  while (reader.next(fields)) {
    if (reader.is_quote_open())
      return table_fault(file, fmt::format("line {}: a quote is opened but not closed", reader.line()));
    if (fields.size() != table.column_count)
      return table_fault(file, fmt::format("line {}: has {} instead of {}", reader.line(),
                                           counted(fields.size(), "number", "numbers"), table.column_count));
    for (const std::string& field : fields) {
      const std::string_view cell = trimmed(field);
      double value = 0;
      if (cell.empty() ||
          parse_double(cell.data(), cell.data() + cell.size(), value) != cell.data() + cell.size())
        return table_fault(file,
                           fmt::format("line {}: {} is not a number", reader.line(), quoted_name(cell)));
      by_rows.push_back(value);
    }
    ++table.row_count;
  }
  table.values.resize(by_rows.size());
  for (std::size_t r = 0; r < table.row_count; ++r)
    for (std::size_t k = 0; k < table.column_count; ++k)
      table.values[k * table.row_count + r] = by_rows[r * table.column_count + k];
  return table;
}

std::string table_csv(const NumberTable& table, NumberWidth width) {
  std::string text;
  for (std::size_t k = 0; k < table.column_count; ++k)
    text += (k == 0 ? "" : ",") +
            quoted_field(k < table.names.size() ? table.names[k] : fmt::format("column_{}", k));
  text += '\n';
  for (std::size_t r = 0; r < table.row_count; ++r) {
    for (std::size_t k = 0; k < table.column_count; ++k) {
      if (k > 0) text += ',';
      const double value = table.values[k * table.row_count + r];
      if (width == NumberWidth::float32)
        fmt::format_to(std::back_inserter(text), "{}", static_cast<float>(value));
      else
        fmt::format_to(std::back_inserter(text), "{}", value);
    }
    text += '\n';
  }
  return text;
}

bool is_npy(const std::string& path) { return extension_of(path) == ".npy"; }

Error unknown_number_table(const std::string& path) {
  return {Errc::unsupported, fmt::format("{}: a matrix of shapes is a .npy or a .csv", path)};
}

}  // namespace

std::string names_beside(const std::string& path) {
  const std::string extension = extension_of(path);
  return path.substr(0, path.size() - extension.size()) + ".names.txt";
}

Result<NumberTable> load_number_table_from_memory(std::span<const std::byte> bytes, const std::string& name) {
  return without_throwing(name, [&]() -> Result<NumberTable> {
    if (is_npy(name)) return parse_npy(text_of(bytes), name);
    if (extension_of(name) == ".csv") return parse_table_csv(text_of(bytes), name);
    return unknown_number_table(name);
  });
}

Result<NumberTable> load_number_table(const std::string& path) {
  return without_throwing(path, [&]() -> Result<NumberTable> {
    if (!is_npy(path) && extension_of(path) != ".csv") return unknown_number_table(path);
    const Result<Bytes> bytes = read_file(path, kMostTableBytes);
    if (!bytes) return bytes.error();
    Result<NumberTable> table = load_number_table_from_memory(*bytes, path);
    if (!table || !is_npy(path)) return table;
    const std::string beside = names_beside(path);
    if (bytes_on_disk(beside) == 0) return table;
    const Result<Bytes> names = read_file(beside, kMostNamesBytes);
    if (!names) return names.error();
    std::string_view text = text_of(*names);
    while (!text.empty()) {
      const std::string line = as_utf8(next_line(text));
      if (!trimmed(line).empty()) table->names.emplace_back(trimmed(line));
    }
    if (table->names.size() != table->column_count)
      return table_fault(beside,
                         fmt::format("has {} for {} of {}", counted(table->names.size(), "name", "names"),
                                     counted(table->column_count, "column", "columns"), path));
    return table;
  });
}

Status save_number_table(const std::string& path, const NumberTable& table, NumberWidth width) {
  return without_throwing(path, [&]() -> Status {
    if (!is_npy(path) && extension_of(path) != ".csv") return unknown_number_table(path);
    const std::string content = is_npy(path) ? npy_bytes(table, width) : table_csv(table, width);
    FileSet files;
    if (Status added = files.add(path, bytes_of(content)); !added) return added;
    std::string names;
    for (const std::string& name : table.names) {
      std::string line = name;
      for (char& c : line)
        if (c == '\n' || c == '\r') c = ' ';
      names += line + '\n';
    }
    if (is_npy(path))
      if (Status added = files.add(names_beside(path), bytes_of(names)); !added) return added;
    return files.commit();
  });
}

}  // namespace dermis
