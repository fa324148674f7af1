#include "workloads/traces/table_fields.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "workloads/traces/fields.hpp"

namespace flashloom {
namespace {

bool is_blank_char(char c) { return c == ' ' || c == '\t'; }

std::string_view stripped(const char* begin, const char* end) {
  while (begin != end && is_blank_char(*begin)) ++begin;
  while (begin != end && is_blank_char(end[-1])) --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// The end of a field that begins with a quotation mark: behind the closing one.
const char* after_quotes(const char* at, const char* end) {
  for (++at; at != end; ++at) {
    if (*at != '"') continue;
    if (at + 1 == end || at[1] != '"') return at + 1;
    ++at;
  }
  throw FieldError("a quotation mark is not closed");
}

std::size_t split_quoted(std::string_view line, char separator, std::string_view* fields, std::size_t capacity) {
  const char* at = line.data();
  const char* const end = at + line.size();
  std::size_t count = 0;
  while (count < capacity) {
    while (at != end && is_blank_char(*at) && *at != separator) ++at;
    if (separator == ' ') {
      while (at != end && is_blank_char(*at)) ++at;
      if (at == end) break;
    }
    const bool quoted = at != end && *at == '"';
    const char* const stop = quoted ? after_quotes(at, end) : at;
    const char* next = stop;
    while (next != end && !(separator == ' ' ? is_blank_char(*next) : *next == separator)) ++next;
    fields[count++] = quoted ? std::string_view(at + 1, static_cast<std::size_t>(stop - at) - 2) : stripped(at, next);
    if (next == end) break;
    at = next + 1;
  }
  return count;
}

}  // namespace

std::size_t split_table(std::string_view line, char separator, std::string_view* fields, std::size_t capacity) {
  if (separator == ' ') {
    if (line.find('"') != std::string_view::npos) return split_quoted(line, separator, fields, capacity);
    const std::size_t count = split_blanks(line, fields, capacity);
    return count == kMoreFields ? capacity : count;
  }
  const char* begin = line.data();
  const char* const end = begin + line.size();
  for (std::size_t count = 0; count < capacity;) {
    const auto* stop = static_cast<const char*>(std::memchr(begin, separator, static_cast<std::size_t>(end - begin)));
    const std::string_view field = stripped(begin, stop == nullptr ? end : stop);
    if (field.starts_with('"')) return split_quoted(line, separator, fields, capacity);
    fields[count++] = field;
    if (stop == nullptr) return count;
    begin = stop + 1;
  }
  return capacity;
}

char find_separator(const std::vector<std::string_view>& lines) {
  std::array<std::string_view, kMostColumns> fields;
  std::size_t best = 0;
  char separator = ' ';
  for (const char candidate : {'\t', ';', '|', ','}) {
    std::array<std::size_t, kMostColumns + 1> lines_of{};
    for (const std::string_view line : lines) {
      try {
        ++lines_of[split_table(line, candidate, fields.data(), fields.size())];
      } catch (const FieldError&) {
        ++lines_of[0];  // the reader reports it
      }
    }
    const std::size_t whole = lines.size() - lines_of[0];
    const std::size_t divided = whole - lines_of[1];
    const std::size_t alike = *std::max_element(lines_of.begin() + 2, lines_of.end());
    if (alike > best && divided * 2 > whole) {
      best = alike;
      separator = candidate;
    }
  }
  return separator;
}

bool is_missing(std::string_view field) {
  if (field.empty()) return true;
  for (const std::string_view word : {"nan", "null", "none", "na", "n/a", "<na>", "nat"})
    if (equals_ignoring_case(field, word)) return true;
  return false;
}

}  // namespace flashloom
