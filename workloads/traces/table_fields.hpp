// Lines of a table: separators, quoted fields.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flashloom {

inline constexpr std::size_t kMostColumns = 256;

/// Splits a line into at most `capacity` fields, and leaves out the rest of the line; returns their number. A blank as
/// the separator stands for runs of blanks and tabs. Blanks around fields are stripped, and quotation marks, within
/// which the separator means itself; a doubled mark within them stays doubled. Throws FieldError for a mark that is
/// not closed.
std::size_t split_table(std::string_view line, char separator, std::string_view* fields, std::size_t capacity);

/// The separator of the lines: the one of tab, semicolon, pipe and comma that divides more than half of those without an
/// open quotation mark, and most into the same number of fields; else a blank.
char find_separator(const std::vector<std::string_view>& lines);

/// Whether the field says that there is no value: it is empty, or as pandas and others write it (nan, NULL, ...).
bool is_missing(std::string_view field);

}  // namespace flashloom
