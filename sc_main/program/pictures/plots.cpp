#include "sc_main/program/pictures/plots.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
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

std::string words_of(const std::string& name) {
  static const std::map<std::string, std::string> words = {{"array", "in the array"},
                                                           {"backlog", "wait in the host"},
                                                           {"block", "wait for the block"},
                                                           {"buffer", "wait for the buffer"},
                                                           {"bus", "on the channel"},
                                                           {"bus_wait", "wait for the channel"},
                                                           {"controller", "controller pipeline"},
                                                           {"cpu", "controller CPU"},
                                                           {"destager", "hand-over to the FTL"},
                                                           {"die_collection", "die busy: GC, map, wear"},
                                                           {"die_erase", "die busy: erase"},
                                                           {"die_program", "die busy: host program"},
                                                           {"die_queue", "die busy: other"},
                                                           {"die_read", "die busy: host read"},
                                                           {"die_wait", "wait for the die"},
                                                           {"disk_wait", "wait for the disk"},
                                                           {"dram", "DRAM"},
                                                           {"host", "host driver"},
                                                           {"interface", "wait for a command slot"},
                                                           {"link", "host link"},
                                                           {"map", "mapping table"},
                                                           {"nand.erase", "flash erases"},
                                                           {"nand.program", "flash programs"},
                                                           {"nand.read", "flash reads"},
                                                           {"nand.transfer", "channel transfers"},
                                                           {"power", "wait for power"},
                                                           {"unit", "unit on its way to flash"}};
  if (const auto found = words.find(name); found != words.end()) return found->second;
  std::string plain;  // "dram.read" is "DRAM read"
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t to = std::min(name.find_first_of("._", from), name.size());
    std::string word = name.substr(from, to - from);
    for (const char* const letters : {"cpu", "dram", "ecc", "hdd", "nand", "nvram", "sram"})
      if (word == letters)
        for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    plain += (plain.empty() ? "" : " ") + word;
    from = to + 1;
  }
  return plain;
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
