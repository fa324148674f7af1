// The whole program.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace flashloom {

/// `arguments`: without the program's name. Returns the exit code: 0 done, 1 the run failed or the disk is full, 2 bad
/// input (message on `err`), 130 interrupted.
int cli_main(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace flashloom
