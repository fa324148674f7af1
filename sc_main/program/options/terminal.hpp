// Colours and a pager for output to a terminal; pipes and files get plain text.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

namespace flashloom {

enum class TextStyle : std::uint8_t { Heading, Error, Warning };

/// Whether the stream is std::cout or std::cerr on a terminal with colours. A non-empty $NO_COLOR, or $TERM "dumb",
/// switches colours off.
bool is_colourful(const std::ostream& out);
/// The text, in its style if `out` is colourful.
std::string styled(const std::ostream& out, TextStyle style, const std::string& text);
/// A text of --help, with styled headings if `out` is colourful.
std::string styled_help(const std::ostream& out, const std::string& text);

/// Prints a text, through $PAGER or `less -FRX` if `out` is a terminal with fewer lines.
void print_paged(std::ostream& out, const std::string& text);

}  // namespace flashloom
