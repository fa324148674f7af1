// Commands of the Python package.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

struct PythonCommand {
  const char* name;   ///< module flashloom.NAME.main has main(words), which returns the exit code
  const char* needs;  ///< what its Python must have, as "NumPy and SciPy"
  const char* guide;  ///< page of the documentation
};

/// Replaces this process by the command (exec), with FLASHLOOM_PROGRAM set to this program; never returns. Throws
/// UsageError if there is no Python.
[[noreturn]] void run_python(const PythonCommand& command, const std::vector<std::string>& words);

}  // namespace flashloom
