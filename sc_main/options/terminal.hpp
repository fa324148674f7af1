// What a terminal gets beyond plain text: colours and a pager. A pipe and a file get nothing of it.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

namespace flashloom {

enum class TextStyle : std::uint8_t { Heading, Error, Warning };

/// Does the stream go to a terminal that wants colours? Only std::cout and std::cerr may; $NO_COLOR, if it is not empty, and
/// $TERM "dumb" say no.
bool is_colourful(const std::ostream& out);
/// The text, in its style if `out` is colourful.
std::string styled(const std::ostream& out, TextStyle style, const std::string& text);
/// A text of --help with its headings in style.
std::string styled_help(const std::ostream& out, const std::string& text);

/// Prints; through $PAGER, or `less -FRX`, if `out` is a terminal with fewer lines.
void print_paged(std::ostream& out, const std::string& text);

}  // namespace flashloom
