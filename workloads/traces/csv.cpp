// Tables: text with a request a line, whose columns have a meaning by the first line,
//     time_us,operation,offset_bytes,length_bytes,placement,writer
//     12.5,write,1048576,4096,3,wal
// or by the option columns (table_layout.hpp). Other tools and scripts can write them, with data that no published trace
// format has (placement identifiers, writers). Without a column of times the trace has no times; placement, write_stream
// and writer may be empty. Lines that begin with # are ignored.
#include <algorithm>
#include <array>
#include <optional>

#include "workloads/traces/iso_time.hpp"
#include "workloads/traces/table_fields.hpp"
#include "workloads/traces/table_layout.hpp"
#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::csv {
namespace {

using Meaning = TableColumn::Meaning;

std::string quoted(std::string_view text) { return "\"" + std::string(text.substr(0, 40)) + "\""; }

template <class Number>
Number parse_within(std::string_view text, const char* what, Number most) {
  const std::uint64_t value = parse_integer(text, what);
  if (value > most) throw FieldError(std::string(what) + " is above " + std::to_string(most) + ": " + quoted(text));
  return static_cast<Number>(value);
}

std::uint64_t parse_bytes(std::string_view text, const char* what, std::uint64_t unit) {
  if (text.size() < 2 || (text[1] != 'x' && text[1] != 'X')) return parse_scaled(text, what, unit);
  const std::uint64_t value = parse_integer(text.substr(text.front() == '0' ? 2 : 0), what, 16);
  if (value > ~std::uint64_t{0} / unit) throw FieldError(std::string(what) + " is too large: " + quoted(text));
  return value * unit;
}

class TableReader final : public TraceReader {
 public:
  TableReader(TraceInput input, TableLayout layout)
      : TraceReader(std::move(input), tick_ps(layout).value_or(1)),
        layout_(std::move(layout)),
        split_(std::min(layout_.exact ? layout_.fields + 1 : layout_.fields, kMostColumns)),
        preamble_(layout_.skipped + (layout_.header ? 1 : 0)) {
    for (const TableColumn& column : layout_.columns)
      if (column.constant) fields_[kMostColumns + static_cast<std::size_t>(column.meaning)] = *column.constant;
  }

  bool timed() const override { return tick_ps(layout_).has_value(); }

 private:
  /// Picoseconds of a time unit; nullopt: the trace has no times.
  static std::optional<std::uint64_t> tick_ps(const TableLayout& layout) {
    const TableColumn* const time = layout.column_of(Meaning::Time);
    return time == nullptr ? std::nullopt : std::optional(time->unit);
  }

  bool parse(std::string_view text, TraceRecord& record) override {
    if (text.front() == '#') return false;
    if (preamble_ != 0) {
      --preamble_;
      return false;
    }
    const std::size_t count = split_table(text, layout_.separator, fields_.data(), split_);
    if (layout_.exact)
      require_fields(count == split_ ? kMoreFields : count, layout_.fields, layout_.header_line.c_str());
    request_ = true;
    for (const TableColumn& column : layout_.columns) {
      if (column.field >= count && !column.constant)
        throw FieldError("column " + std::to_string(column.field + 1) + " is missing: the line has " +
                         std::to_string(count));
      const std::string_view field =
          fields_[column.constant ? kMostColumns + static_cast<std::size_t>(column.meaning) : column.field];
      try {
        take(column, field, record);
      } catch (const FieldError& error) {
        if (column.constant) throw;
        throw FieldError("column " + std::to_string(column.field + 1) + ": " + error.what());
      }
      if (!request_) return false;
    }
    if (record.kind == RequestKind::Flush) record.offset = record.length = 0;
    return true;
  }

  void take(const TableColumn& column, std::string_view field, TraceRecord& record) {
    switch (column.meaning) {
      case Meaning::Time:
        record.time = is_iso_time(field) ? parse_date(field) : parse_time(field, "time", ps_per_tick());
        break;
      case Meaning::Operation:
        record.kind = parse_operation(field);
        break;
      case Meaning::Offset:
        if (!lacks_value(field, record)) record.offset = parse_bytes(field, "offset", column.unit);
        break;
      case Meaning::Length:
        if (!lacks_value(field, record)) record.length = parse_bytes(field, "length", column.unit);
        break;
      case Meaning::Stream:
        record.stream = parse_within<std::uint8_t>(field, "stream", 255);
        break;
      case Meaning::Placement:
        direct(field, "placement", RequestDirective::DataPlacement, record);
        break;
      case Meaning::WriteStream:
        direct(field, "write_stream", RequestDirective::Streams, record);
        break;
      case Meaning::Writer:
        if (!is_missing(field)) record.writer = writers_.number_of(field);
        break;
      case Meaning::Fua:
        record.fua = parse_within<std::uint8_t>(field, "fua", 1) != 0;
        break;
      case Meaning::Nothing:
        break;
    }
  }

  /// A flush needs no extent.
  static bool lacks_value(std::string_view field, const TraceRecord& record) {
    const bool lacks = field.empty() || (field.front() > '9' && is_missing(field));
    if (lacks && record.kind != RequestKind::Flush) throw FieldError("the value is missing: only a flush needs none");
    return lacks;
  }

  TraceTime parse_date(std::string_view field) const {
    constexpr std::uint64_t kSecondPs = 1'000'000'000'000;
    if (ps_per_tick() > kSecondPs || kSecondPs % ps_per_tick() != 0)
      throw FieldError("a date does not go together with the unit of time");
    return parse_iso_time(field, "time", ps_per_tick());
  }

  RequestKind parse_operation(std::string_view text) {
    for (const auto& [word, kind] : layout_.words)
      if (equals_ignoring_case(text, word) || equals_ignoring_case(without_fraction(text), word)) {
        request_ = kind.has_value();
        return kind.value_or(RequestKind::Flush);
      }
    if (const auto usual = usual_operation(text)) return *usual;
    std::string valid = "read, write, trim, write_zeroes, flush, r, w";
    for (const auto& [word, kind] : layout_.words) valid += ", " + word;
    throw FieldError("unknown operation " + quoted(text) + "; valid: " + valid);
  }

  /// "1.0", a number as pandas writes it in a column with gaps, as "1".
  static std::string_view without_fraction(std::string_view text) {
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  }

  static void direct(std::string_view field, const char* what, RequestDirective directive, TraceRecord& record) {
    if (is_missing(field)) return;
    if (record.directive != RequestDirective::None) throw FieldError("both a placement and a write_stream");
    record.directive = directive;
    record.identifier = parse_within<std::uint16_t>(field, what, 65535);
  }

  TableLayout layout_;
  std::size_t split_;
  std::array<std::string_view, kMostColumns + 16> fields_;  // of the line; behind them the constants
  WriterNumbers writers_;
  std::size_t preamble_;  // lines before the requests
  bool request_ = true;   // the operation of the line is one
};

int score(const TraceSample& sample) {
  if (sample.lines.empty()) return 0;
  const std::string_view first = sample.lines.front();
  return first.find("offset_") != std::string_view::npos && first.find("length_") != std::string_view::npos ? 100 : 0;
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext& context) {
  const std::string& columns = context.parameters.at("columns");
  try {
    return std::make_unique<TableReader>(
        std::move(input), columns.empty() ? named_columns(context.sample) : chosen_columns(columns, context.sample));
  } catch (const FieldError& error) {
    throw WorkloadError(input.name, columns.empty() ? 1 : 0, error.what());
  }
}

const TraceFormatRegistration registration{
    {.name = "csv",
     .aliases = {"columns", "table"},
     .summary = "tables: CSV with named columns, or with those that the option columns names",
     .parameters = {{.name = "columns",
                     .default_value = "",
                     .choices = {},
                     .help = "what the columns mean, as time=1*us+op=2+offset=3*512+size=4; default: the first line"}},
     .score = &score,
     .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::csv
