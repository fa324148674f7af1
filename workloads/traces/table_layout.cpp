#include "workloads/traces/table_layout.hpp"

#include <algorithm>

#include "workloads/traces/fields.hpp"
#include "workloads/traces/table_fields.hpp"

namespace flashloom {
namespace {

using Meaning = TableColumn::Meaning;
using TableFields = std::array<std::string_view, kMostColumns>;

constexpr std::uint64_t kPsOfSecond = 1'000'000'000'000;

struct KnownColumn {
  std::string_view name;
  Meaning meaning;
  std::uint64_t unit = 1;
};
constexpr std::array kNamedColumns{
    KnownColumn{"time_s", Meaning::Time, kPsOfSecond},
    KnownColumn{"time_ms", Meaning::Time, 1'000'000'000},
    KnownColumn{"time_us", Meaning::Time, 1'000'000},
    KnownColumn{"time_ns", Meaning::Time, 1'000},
    KnownColumn{"time_ps", Meaning::Time, 1},
    KnownColumn{"operation", Meaning::Operation},
    KnownColumn{"offset_bytes", Meaning::Offset, 1},
    KnownColumn{"offset_sectors", Meaning::Offset, 512},
    KnownColumn{"length_bytes", Meaning::Length, 1},
    KnownColumn{"length_sectors", Meaning::Length, 512},
    KnownColumn{"stream", Meaning::Stream},
    KnownColumn{"placement", Meaning::Placement},
    KnownColumn{"write_stream", Meaning::WriteStream},
    KnownColumn{"writer", Meaning::Writer},
    KnownColumn{"fua", Meaning::Fua},
    KnownColumn{"-", Meaning::Nothing},
};
constexpr std::array kChosenColumns{
    KnownColumn{"time", Meaning::Time, kPsOfSecond},
    KnownColumn{"op", Meaning::Operation},
    KnownColumn{"offset", Meaning::Offset},
    KnownColumn{"size", Meaning::Length},
    KnownColumn{"stream", Meaning::Stream},
    KnownColumn{"placement", Meaning::Placement},
    KnownColumn{"write_stream", Meaning::WriteStream},
    KnownColumn{"writer", Meaning::Writer},
    KnownColumn{"fua", Meaning::Fua},
};
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> kTimeUnits{
    {{"s", kPsOfSecond}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};
constexpr std::array<std::pair<std::string_view, char>, 5> kSeparators{
    {{"comma", ','}, {"tab", '\t'}, {"semicolon", ';'}, {"pipe", '|'}, {"blanks", ' '}}};

std::string in_quotes(std::string_view text) {
  std::string all = "\"";
  all += text.substr(0, 40);
  all += '"';
  return all;
}

std::string_view trimmed_of_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

template <class Known>
std::string names_of(const Known& known) {
  std::string all;
  for (const auto& each : known) {
    if (!all.empty()) all += ", ";
    if constexpr (requires { each.name; })
      all += each.name;
    else
      all += each.first;
  }
  return all;
}

/// "1 "time", 2 "op"": the fields of a line, as messages show them.
std::string numbered(const TableFields& fields, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i)
    all += (i == 0 ? "" : ", ") + std::to_string(i + 1) + " " + in_quotes(fields[i]);
  return all;
}

bool is_operation(const TableColumn& column) { return column.meaning == Meaning::Operation; }

/// One assignment of the option columns.
class Choice {
 public:
  Choice(TableLayout& layout, const TraceSample& sample) : layout_(layout), sample_(sample) {}

  void take(std::string_view key, std::string_view value) {
    if (value.empty()) fail(key, "says nothing");
    if (key == "separator") {
      const auto known = std::ranges::find(kSeparators, value, &std::pair<std::string_view, char>::first);
      if (known == kSeparators.end()) fail(key, in_quotes(value) + "; valid: " + names_of(kSeparators));
      separator_ = known->second;
    } else if (key == "header") {
      if (value != "yes" && value != "no") fail(key, in_quotes(value) + "; valid: yes, no");
      header_ = value == "yes";
    } else if (key == "skip") {
      layout_.skipped = parse_integer(value, "columns: skip");
    } else {
      column(key, value);
    }
  }

  /// Finds what the assignments leave open: separator, header, and the fields of names.
  void complete() {
    for (const auto& [meaning, name] : {std::pair{Meaning::Operation, "op"}, std::pair{Meaning::Offset, "offset"},
                                        std::pair{Meaning::Length, "size"}})
      if (layout_.column_of(meaning) == nullptr)
        throw FieldError(std::string("columns: ") + name + " is not said; for the same value in all lines say " + name +
                         "==VALUE");
    std::vector<std::string_view> lines = sample_.lines;
    std::erase_if(lines, [](std::string_view line) { return line.starts_with('#'); });
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(layout_.skipped, lines.size())));
    if (lines.empty() && layout_.skipped != 0 && !(separator_ && header_ && names_.empty()))
      fail("skip",
           "nothing is left of the first 64 KiB, which show the table: say columns by number, separator, header");
    layout_.separator = separator_ ? *separator_ : find_separator(lines);
    TableFields first;
    const std::size_t count =
        lines.empty() ? 0 : split_table(lines.front(), layout_.separator, first.data(), first.size());
    layout_.header = header_.value_or(!names_.empty() || looks_like_header(first, count));
    for (const auto& [column, name] : names_) layout_.columns[column].field = field_named(name, first, count);
    std::ranges::stable_partition(layout_.columns, is_operation);
    for (const TableColumn& each : layout_.columns)
      if (!each.constant) layout_.fields = std::max(layout_.fields, each.field + 1);
  }

 private:
  [[noreturn]] static void fail(std::string_view key, const std::string& why) {
    throw FieldError("columns: " + std::string(key) + ": " + why);
  }

  void column(std::string_view key, std::string_view value) {
    const auto known = std::ranges::find(kChosenColumns, key, &KnownColumn::name);
    if (known == kChosenColumns.end())
      throw FieldError("columns: unknown name " + in_quotes(key) + "; valid: " + names_of(kChosenColumns) +
                       ", separator, header, skip");
    if (layout_.column_of(known->meaning) != nullptr) fail(key, "is said twice");
    TableColumn made{.name = std::string(key), .meaning = known->meaning, .unit = known->unit};
    if (known->meaning == Meaning::Operation) value = take_words(value);
    if (value.starts_with('=')) {
      made.constant = std::string(value.substr(1));
    } else {
      const std::size_t star = value.rfind('*');
      if (star != std::string_view::npos) {
        made.unit = unit(key, known->meaning, trimmed_of_blanks(value.substr(star + 1)));
        value = trimmed_of_blanks(value.substr(0, star));
      }
      if (is_integer(value)) {
        made.field = parse_integer(value, "columns") - 1;
        if (made.field >= kMostColumns)
          fail(key, in_quotes(value) + "; columns count from 1 to " + std::to_string(kMostColumns));
      } else {
        names_.emplace_back(layout_.columns.size(), value);
      }
    }
    layout_.columns.push_back(std::move(made));
  }

  static std::uint64_t unit(std::string_view key, Meaning meaning, std::string_view text) {
    if (meaning == Meaning::Offset || meaning == Meaning::Length) {
      const std::uint64_t bytes = parse_integer(text, "columns: the factor");
      if (bytes == 0 || bytes > std::uint64_t{1} << 40U) fail(key, "the factor is the bytes of a unit, as *512");
      return bytes;
    }
    if (meaning != Meaning::Time) fail(key, "takes no factor");
    for (const auto& [name, ps] : kTimeUnits)
      if (text == name) return ps;
    if (!text.empty() && (is_integer(text.substr(0, 1)) || text.front() == '.')) {
      const TraceTime seconds = parse_time(text, "columns: the unit of time", kPsOfSecond);
      if (seconds.ticks < 100'000 && seconds.ticks + seconds.fraction_ps != 0)
        return seconds.ticks * kPsOfSecond + seconds.fraction_ps;
    }
    fail(key, "unit " + in_quotes(text) + "; valid: " + names_of(kTimeUnits) + ", or seconds as 1e-7");
  }

  /// Takes ":WORD=OPERATION" from the end; returns what is before.
  std::string_view take_words(std::string_view value) {
    for (;;) {
      const std::size_t colon = value.rfind(':');
      if (colon == std::string_view::npos) return value;
      const std::string_view pair = value.substr(colon + 1);
      const std::size_t equals = pair.rfind('=');
      if (equals == std::string_view::npos || equals == 0) fail("op", in_quotes(pair) + " is not WORD=OPERATION");
      const std::string_view kind = pair.substr(equals + 1);
      const std::optional<RequestKind> known = usual_operation(kind);
      if (!known && kind != "-")
        fail("op", "unknown operation " + in_quotes(kind) + "; valid: read, write, trim, write_zeroes, flush, -");
      layout_.words.emplace_back(lower_case(pair.substr(0, equals)), known);
      value = value.substr(0, colon);
    }
  }

  /// Whether no field that holds a number below holds one in the first line.
  bool looks_like_header(const TableFields& first, std::size_t count) const {
    std::size_t words = 0;
    for (const TableColumn& each : layout_.columns) {
      if ((each.meaning != Meaning::Offset && each.meaning != Meaning::Length) || each.constant || each.field >= count)
        continue;
      const std::string_view field = first[each.field];
      if (is_missing(field) || is_integer(field.substr(0, 1)) || field.front() == '-' || field.front() == '.')
        return false;
      ++words;
    }
    return words != 0;
  }

  static std::size_t field_named(std::string_view name, const TableFields& first, std::size_t count) {
    const auto begin = first.begin();
    const auto end = first.begin() + static_cast<std::ptrdiff_t>(count);
    auto found = std::find(begin, end, name);
    if (found == end) {
      const std::string lower = lower_case(name);
      found = std::find_if(begin, end, [&](std::string_view field) { return equals_ignoring_case(field, lower); });
    }
    if (found == end)
      throw FieldError("columns: the header has no " + in_quotes(name) + "; it has " + numbered(first, count));
    return static_cast<std::size_t>(found - begin);
  }

  TableLayout& layout_;
  const TraceSample& sample_;
  std::optional<char> separator_;
  std::optional<bool> header_;
  std::vector<std::pair<std::size_t, std::string_view>> names_;  // columns given by a name
};

}  // namespace

const TableColumn* TableLayout::column_of(TableColumn::Meaning meaning) const {
  const auto found = std::ranges::find(columns, meaning, &TableColumn::meaning);
  return found == columns.end() ? nullptr : &*found;
}

std::optional<RequestKind> usual_operation(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, RequestKind>, 7> kWords{{{"read", RequestKind::Read},
                                                                            {"r", RequestKind::Read},
                                                                            {"write", RequestKind::Write},
                                                                            {"w", RequestKind::Write},
                                                                            {"trim", RequestKind::Trim},
                                                                            {"write_zeroes", RequestKind::WriteZeroes},
                                                                            {"flush", RequestKind::Flush}}};
  for (const auto& [word, kind] : kWords)
    if (word.size() == text.size() && equals_ignoring_case(text, word)) return kind;
  return std::nullopt;
}

TableLayout named_columns(const TraceSample& sample) {
  TableLayout layout{.columns = {}, .header = true, .exact = true};
  const std::string_view line = sample.lines.empty() ? std::string_view{} : sample.lines.front();
  layout.separator = line.find(',') == std::string_view::npos ? find_separator({line}) : ',';
  TableFields names;
  layout.fields = split_table(line, layout.separator, names.data(), names.size());
  for (std::size_t i = 0; i < layout.fields; ++i) {
    const bool index = names[i].empty() || names[i].starts_with("Unnamed: ");  // of pandas
    const auto known = std::ranges::find(kNamedColumns, index ? "-" : names[i], &KnownColumn::name);
    if (known == kNamedColumns.end())
      throw FieldError("unknown column " + in_quotes(names[i]) + "; valid: " + names_of(kNamedColumns) +
                       "; or give columns other names by --columns");
    if (known->meaning != Meaning::Nothing && layout.column_of(known->meaning) != nullptr)
      throw FieldError("column " + in_quotes(names[i]) + " says again what another one says");
    if (i != 0) layout.header_line += ',';
    layout.header_line += names[i];
    if (known->meaning == Meaning::Nothing) continue;
    layout.columns.push_back(
        {.name = std::string(known->name), .meaning = known->meaning, .unit = known->unit, .field = i});
  }
  for (const auto& [meaning, name] :
       {std::pair{Meaning::Operation, "operation"}, std::pair{Meaning::Offset, "offset_bytes or offset_sectors"},
        std::pair{Meaning::Length, "length_bytes or length_sectors"}})
    if (layout.column_of(meaning) == nullptr) throw FieldError(std::string("no column ") + name);
  std::ranges::stable_partition(layout.columns, is_operation);
  return layout;
}

void check_assignment(std::string_view name, std::string_view value) {
  TableLayout layout;
  Choice(layout, {}).take(name, value);
}

TableLayout chosen_columns(std::string_view assignments, const TraceSample& sample) {
  TableLayout layout;
  Choice choice(layout, sample);
  const char* const between = assignments.find('\n') == std::string_view::npos ? ",+" : "\n";
  while (!assignments.empty()) {
    const std::size_t end = assignments.find_first_of(between);
    const std::string_view each = trimmed_of_blanks(assignments.substr(0, end));
    assignments.remove_prefix(end == std::string_view::npos ? assignments.size() : end + 1);
    const std::size_t equals = each.find('=');
    if (each.empty()) continue;
    if (equals == std::string_view::npos) throw FieldError("columns: " + in_quotes(each) + " is not NAME=COLUMN");
    choice.take(trimmed_of_blanks(each.substr(0, equals)), trimmed_of_blanks(each.substr(equals + 1)));
  }
  choice.complete();
  return layout;
}

}  // namespace flashloom
