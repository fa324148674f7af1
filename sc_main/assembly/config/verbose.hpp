// The messages of --verbose on stderr: the files that are read, and how they are understood.
#pragma once

#include <string>

namespace flashloom {

/// Turns the messages on or off in the whole process; off by default.
void tell_verbosely(bool on);
/// Prints a line if messages are on.
void tell(const std::string& text);

}  // namespace flashloom
