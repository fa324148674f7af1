#include "sc_main/program/cli/python_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

/// Reports a missing Python package in one line, instead of Python's traceback.
constexpr const char* kBegin = R"py(
import sys
try:
    from flashloom.{0}.main import main
except ImportError as error:
    print(f"flashloom: error: {0}: {{sys.executable}} cannot do it: {{error}}; FLASHLOOM_PYTHON names a Python with "
          "{1} ({2})", file=sys.stderr)
    sys.exit(2)
sys.exit(main(sys.argv[1:]))
)py";

struct PythonPlace {
  std::string interpreter = "python3";
  fs::path package{};  ///< folder of the package flashloom; empty: it is installed
};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The package's folder: in a wheel the folder of flashloom/_program; in an installation lib/flashloom/python; else the
/// checkout in which the program was built, with its virtual environment.
PythonPlace find_python(const fs::path& program) {
  PythonPlace place;
  const fs::path prefix = program.parent_path().parent_path();
  if (prefix.filename() == "_program") {
    place.package = prefix.parent_path().parent_path();
  } else if (fs::exists(prefix / "lib/flashloom/python/flashloom")) {
    place.package = prefix / "lib/flashloom/python";
  } else {
    for (fs::path root = program.parent_path(); root.has_relative_path(); root = root.parent_path()) {
      if (!fs::exists(root / "python/flashloom") || !fs::exists(root / "CMakePresets.json")) continue;
      place.package = root / "python";
      const std::string named = environment("FLASHLOOM_VENV");
      const fs::path interpreter = (named.empty() ? root / ".venv" : fs::path(named)) / "bin/python";
      if (fs::exists(interpreter)) place.interpreter = interpreter.string();
      break;
    }
  }
  if (const std::string given = environment("FLASHLOOM_PYTHON"); !given.empty()) place.interpreter = given;
  return place;
}

}  // namespace

void run_python(const PythonCommand& command, const std::vector<std::string>& words) {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const PythonPlace place = find_python(program);
  const std::string begin = fmt::format(fmt::runtime(kBegin), command.name, command.needs, command.guide);
  std::vector<std::string> line = {place.interpreter, "-B", "-c", begin};
  line.insert(line.end(), words.begin(), words.end());
  ::setenv("FLASHLOOM_PROGRAM", program.c_str(), 1);
  if (!place.package.empty()) {
    const std::string others = environment("PYTHONPATH");
    ::setenv("PYTHONPATH", (place.package.string() + (others.empty() ? "" : ":" + others)).c_str(), 1);
  }
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  throw UsageError(fmt::format("{}: {} cannot be run ({}); it needs Python with {}: FLASHLOOM_PYTHON names one ({})",
                               command.name, place.interpreter, std::generic_category().message(errno), command.needs,
                               command.guide));
}

}  // namespace flashloom
