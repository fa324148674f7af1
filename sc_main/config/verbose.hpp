// What --verbose tells on stderr: which files are read, and how they are understood.
#pragma once

#include <string>

namespace flashloom {

/// Of the whole process; off at first.
void tell_verbosely(bool on);
/// A line, if it is on.
void tell(const std::string& text);

}  // namespace flashloom
