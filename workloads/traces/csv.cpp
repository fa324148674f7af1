// Text with a header line that names its columns, in any order. Other tools and scripts can write it, with data that no
// published trace format has (placement identifiers, writers).
//     time_us,operation,offset_bytes,length_bytes,placement,writer
//     12.5,write,1048576,4096,3,wal
// Times are in time_s, _ms, _us, _ns or _ps; without such a column the trace has no times. Offsets and lengths are in
// bytes or 512-byte sectors. Placement, write_stream and writer may be empty. A column named "-" is ignored.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "workloads/traces/trace_reader.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::csv {
namespace {

constexpr std::size_t kMostColumns = 64;
constexpr std::uint64_t kSector = 512;
using Fields = std::array<std::string_view, kMostColumns>;

enum class Meaning : std::uint8_t {
  Time,
  Operation,
  Offset,
  Length,
  Stream,
  Placement,
  WriteStream,
  Writer,
  Fua,
  Nothing
};

struct Column {
  std::string_view name;
  Meaning meaning;
  std::uint64_t unit = 1;  // picoseconds (times) or bytes (offsets, lengths)
};

constexpr std::array kColumns{
    Column{"time_s", Meaning::Time, 1'000'000'000'000},
    Column{"time_ms", Meaning::Time, 1'000'000'000},
    Column{"time_us", Meaning::Time, 1'000'000},
    Column{"time_ns", Meaning::Time, 1'000},
    Column{"time_ps", Meaning::Time, 1},
    Column{"operation", Meaning::Operation},
    Column{"offset_bytes", Meaning::Offset, 1},
    Column{"offset_sectors", Meaning::Offset, kSector},
    Column{"length_bytes", Meaning::Length, 1},
    Column{"length_sectors", Meaning::Length, kSector},
    Column{"stream", Meaning::Stream},
    Column{"placement", Meaning::Placement},
    Column{"write_stream", Meaning::WriteStream},
    Column{"writer", Meaning::Writer},
    Column{"fua", Meaning::Fua},
    Column{"-", Meaning::Nothing},
};

struct Operation {
  std::string_view name;
  RequestKind kind;
};
constexpr std::array kOperations{
    Operation{"read", RequestKind::Read},   Operation{"r", RequestKind::Read},
    Operation{"write", RequestKind::Write}, Operation{"w", RequestKind::Write},
    Operation{"trim", RequestKind::Trim},   Operation{"write_zeroes", RequestKind::WriteZeroes},
    Operation{"flush", RequestKind::Flush}};

std::string quoted(std::string_view text) {
  std::string all = "\"";
  all += text.substr(0, 40);
  all += '"';
  return all;
}

/// The meaning of each field of a line. The constructor throws FieldError.
class Header {
 public:
  explicit Header(std::string_view line) {
    Fields names;
    const std::size_t count = split_commas(line, names.data(), names.size());
    if (count == kMoreFields) throw FieldError("more than 64 columns");
    for (std::size_t i = 0; i < count; ++i) {
      const auto known = std::ranges::find(kColumns, names[i], &Column::name);
      if (known == kColumns.end())
        throw FieldError("unknown column " + quoted(names[i]) + "; valid: " + joined(kColumns, ", "));
      if (known->meaning != Meaning::Nothing && column_of(known->meaning) != nullptr)
        throw FieldError("column " + quoted(names[i]) + " says again what another one says");
      columns_.push_back(*known);
    }
    for (const auto& [meaning, names_of] :
         {std::pair{Meaning::Operation, "operation"}, std::pair{Meaning::Offset, "offset_bytes or offset_sectors"},
          std::pair{Meaning::Length, "length_bytes or length_sectors"}})
      if (column_of(meaning) == nullptr) throw FieldError(std::string("no column ") + names_of);
    layout_ = joined(columns_, ",");
    if (const Column* const time = column_of(Meaning::Time)) tick_ps_ = time->unit;
  }

  const std::vector<Column>& columns() const { return columns_; }
  const std::string& layout() const { return layout_; }
  /// Picoseconds of a time unit; nullopt: the trace has no times.
  std::optional<std::uint64_t> tick_ps() const { return tick_ps_; }

 private:
  const Column* column_of(Meaning meaning) const {
    const auto found = std::ranges::find(columns_, meaning, &Column::meaning);
    return found == columns_.end() ? nullptr : &*found;
  }
  template <class Columns>
  static std::string joined(const Columns& columns, const char* between) {
    std::string all;
    for (const Column& column : columns) {
      if (!all.empty()) all += between;
      all += column.name;
    }
    return all;
  }

  std::vector<Column> columns_;
  std::string layout_;
  std::optional<std::uint64_t> tick_ps_;
};

RequestKind parse_operation(std::string_view text) {
  for (const Operation& operation : kOperations)
    if (equals_ignoring_case(text, operation.name)) return operation.kind;
  throw FieldError("unknown operation " + quoted(text) + "; valid: read, write, trim, write_zeroes, flush, r, w");
}

template <class Number>
Number parse_within(std::string_view text, const char* what, Number most) {
  const std::uint64_t value = parse_integer(text, what);
  if (value > most) throw FieldError(std::string(what) + " is above " + std::to_string(most) + ": " + quoted(text));
  return static_cast<Number>(value);
}

class CsvReader final : public TraceReader {
 public:
  CsvReader(TraceInput input, Header header)
      : TraceReader(std::move(input), header.tick_ps().value_or(1)), header_(std::move(header)) {}

  bool timed() const override { return header_.tick_ps().has_value(); }

 private:
  bool parse(std::string_view text, TraceRecord& record) override {
    if (!std::exchange(begun_, true)) return false;  // the header
    Fields fields;
    const std::vector<Column>& columns = header_.columns();
    require_fields(split_commas(text, fields.data(), fields.size()), columns.size(), header_.layout().c_str());
    for (std::size_t i = 0; i < columns.size(); ++i) take(columns[i], fields[i], record);
    if (record.kind == RequestKind::Flush) record.offset = record.length = 0;
    return true;
  }

  void take(const Column& column, std::string_view field, TraceRecord& record) {
    switch (column.meaning) {
      case Meaning::Time:
        record.time = parse_time(field, "time", ps_per_tick());
        break;
      case Meaning::Operation:
        record.kind = parse_operation(field);
        break;
      case Meaning::Offset:
        if (!field.empty()) record.offset = parse_scaled(field, "offset", column.unit);
        break;
      case Meaning::Length:
        if (!field.empty()) record.length = parse_scaled(field, "length", column.unit);
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
        record.writer = writers_.number_of(field);
        break;
      case Meaning::Fua:
        record.fua = parse_within<std::uint8_t>(field, "fua", 1) != 0;
        break;
      case Meaning::Nothing:
        break;
    }
  }

  static void direct(std::string_view field, const char* what, RequestDirective directive, TraceRecord& record) {
    if (field.empty()) return;
    if (record.directive != RequestDirective::None) throw FieldError("both a placement and a write_stream");
    record.directive = directive;
    record.identifier = parse_within<std::uint16_t>(field, what, 65535);
  }

  Header header_;
  WriterNumbers writers_;
  bool begun_ = false;
};

int score(const TraceSample& sample) {
  if (sample.lines.empty()) return 0;
  const std::string_view first = sample.lines.front();
  return first.find("offset_") != std::string_view::npos && first.find("length_") != std::string_view::npos ? 100 : 0;
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext& context) {
  try {
    return std::make_unique<CsvReader>(std::move(input),
                                       Header(context.sample.lines.empty() ? "" : context.sample.lines.front()));
  } catch (const FieldError& error) {
    throw WorkloadError(input.name, 1, error.what());
  }
}

const TraceFormatRegistration registration{{.name = "csv",
                                            .aliases = {"columns"},
                                            .summary = "CSV with named columns, for one's own traces and placement",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::csv
