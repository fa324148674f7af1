#include "sc_main/program/pictures/plots.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStyle = "style.gp";

// The folder of the scripts: plots/ of a source tree, or share/flashloom/plots of an installation (as for presets).
fs::path scripts_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path();
  for (const fs::path& place : {folder / "plots", folder.parent_path().parent_path() / "plots",
                                folder.parent_path() / "share" / "flashloom" / "plots"})
    if (fs::exists(place / kStyle, error)) return place;
  return {};
}

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Adds a title, and colours for dark pages, to gnuplot's SVG.
void finish_drawing(const fs::path& path, const std::string& title) {
  std::string text = content(path);
  const std::string end = "</desc>";
  const std::size_t from = text.find("<title>"), to = text.find(end);
  if (from == std::string::npos || to == std::string::npos) return;
  text.replace(from, to + end.size() - from,
               "<title>" + title + "</title>\n<style>\n" + page_part("page/drawing.css") + "</style>");
  std::ofstream(path, std::ios::binary) << text;
}

bool on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

// Runs gnuplot with its output in the file `log`. Returns its exit code.
int run_gnuplot(std::vector<std::string> arguments, const std::string& log) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return failure;
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::string page_part(const std::string& name) {
  const fs::path folder = scripts_folder();
  std::error_code error;
  if (folder.empty() || !fs::exists(folder / name, error))
    throw std::runtime_error("plots/" + name + " is not to be found beside the program");
  return content(folder / name);
}

void check_plots() {
  if (!on_path("gnuplot")) throw UsageError("--plots: gnuplot is not on the PATH (Debian: gnuplot-nox)");
  if (scripts_folder().empty()) throw UsageError("--plots: the folder plots/ is not to be found beside the program");
}

void draw(const std::vector<Figure>& figures, const std::string& tables, const std::string& folder) {
  const fs::path scripts = scripts_folder();
  ::setenv("GNUPLOT_LIB", scripts.c_str(), 1);  // the folder of `load "style.gp"`
  for (const Figure& figure : figures) {
    const std::string log = (fs::path(folder) / (figure.script + ".log")).string();
    const int code =
        run_gnuplot({"gnuplot", "-c", scripts / (figure.script + ".gp"), tables, folder, figure.argument}, log);
    bool drawn = code == 0;
    for (const char* const format : {".png", ".svg"}) {
      std::error_code error;
      drawn = drawn && fs::file_size(fs::path(folder) / (figure.script + format), error) != 0 && !error;
    }
    if (!drawn) {
      throw std::runtime_error("gnuplot could not draw " + figure.script + ": " + content(log));
    }
    finish_drawing(fs::path(folder) / (figure.script + ".svg"), figure.title);
    fs::remove(log);
  }
}

}  // namespace flashloom
