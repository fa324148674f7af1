// What the columns of a table mean: of the first line of the format csv, or of the option columns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/request.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {

struct TableColumn {
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
  std::string name;  ///< in messages
  Meaning meaning = Meaning::Nothing;
  std::uint64_t unit = 1;                 ///< picoseconds (times) or bytes (offsets, lengths)
  std::size_t field = 0;                  ///< from 0
  std::optional<std::string> constant{};  ///< the value of all lines, in place of a field
};

struct TableLayout {
  std::vector<TableColumn>
      columns;           ///< no meaning twice; an operation, which comes first, an offset and a length are among them
  char separator = ',';  ///< a blank: runs of blanks
  std::size_t skipped = 0;  ///< lines before the header
  bool header = false;
  bool exact = false;         ///< all lines have `fields` fields; else at least as many
  std::size_t fields = 0;     ///< of a line
  std::string header_line{};  ///< in messages, with `exact`
  /// Words for operations beside the usual ones, in lower case; without a kind: the line is no request.
  std::vector<std::pair<std::string, std::optional<RequestKind>>> words{};

  const TableColumn* column_of(TableColumn::Meaning meaning) const;
};

/// The layout by the first line of the format csv ("time_us,operation,..."). Throws FieldError.
TableLayout named_columns(const TraceSample& sample);

/// The layout by assignments between commas or plus signs, or on lines of their own:
///     time=COLUMN[*UNIT], op=COLUMN[:WORD=OPERATION...], offset=COLUMN[*BYTES], size=COLUMN[*BYTES],
///     stream=COLUMN, placement=COLUMN, write_stream=COLUMN, writer=COLUMN, fua=COLUMN,
///     separator=comma|tab|semicolon|pipe|blanks, header=yes|no, skip=LINES
/// COLUMN is a number from 1, a name in the header, or =VALUE for all lines. UNIT is s (default), ms, us, ns, ps, or
/// seconds as 1e-7. OPERATION is read, write, trim, write_zeroes, flush, or - (no request). What is not said is found in
/// the sample. Throws FieldError.
TableLayout chosen_columns(std::string_view assignments, const TraceSample& sample);

/// Throws FieldError for an assignment "NAME=VALUE" that is wrong whatever the table.
void check_assignment(std::string_view name, std::string_view value);

/// An operation by its usual words ("R", "write", ...); nullopt for other words.
std::optional<RequestKind> usual_operation(std::string_view text);

}  // namespace flashloom
