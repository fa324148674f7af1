// What a command is for, as text for a terminal and as a manual page: both from the table of commands.
#pragma once

#include <string>

#include "sc_main/options/command_table.hpp"

namespace flashloom {

/// What --help prints.
std::string help_text(const Command& command);

/// A page of section 1, in the man macros that man and mandoc read.
std::string man_page(const CommandTree& tree, const Command& command);

/// All of them, as FOLDER/flashloom-run.1. Throws std::runtime_error.
void write_man_pages(const CommandTree& tree, const std::string& folder);

}  // namespace flashloom
