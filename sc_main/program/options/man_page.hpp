// Help on commands, as text for a terminal and as manual pages, both from the table of commands.
#pragma once

#include <string>

#include "sc_main/program/options/command_table.hpp"

namespace flashloom {

/// The output of --help.
std::string help_text(const Command& command);

/// A page of section 1, in the man macros of groff and mandoc.
std::string man_page(const CommandTree& tree, const Command& command);

/// Writes the pages of all commands, as FOLDER/flashloom-run.1. Throws std::runtime_error.
void write_man_pages(const CommandTree& tree, const std::string& folder);

}  // namespace flashloom
