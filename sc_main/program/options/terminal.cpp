#include "sc_main/program/options/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string_view>

namespace flashloom {
namespace {

bool is_terminal(const std::ostream& out) {
  if (&out == &std::cout) return ::isatty(STDOUT_FILENO) == 1;
  return &out == &std::cerr && ::isatty(STDERR_FILENO) == 1;
}

const char* escape_of(TextStyle style) {
  switch (style) {
    case TextStyle::Error:
      return "\033[1;31m";
    case TextStyle::Warning:
      return "\033[33m";
    case TextStyle::Heading:
      break;
  }
  return "\033[1m";
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool is_colourful(const std::ostream& out) {
  return is_terminal(out) && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

std::string styled(const std::ostream& out, TextStyle style, const std::string& text) {
  return is_colourful(out) ? escape_of(style) + text + "\033[0m" : text;
}

std::string styled_help(const std::ostream& out, const std::string& text) {
  if (!is_colourful(out)) return text;
  std::string shown;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool heading = line == "Options:" || line == "Positionals:" || line == "Subcommands:" || line == "Examples:";
    constexpr std::string_view kUsage = "Usage:";
    if (heading)
      line = styled(out, TextStyle::Heading, line);
    else if (line.starts_with(kUsage))
      line = styled(out, TextStyle::Heading, std::string(kUsage)) + line.substr(kUsage.size());
    shown += line + "\n";
  }
  return shown;
}

void print_paged(std::ostream& out, const std::string& text) {
  winsize size{};
  const bool known = &out == &std::cout && is_terminal(out) && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  const auto lines = std::count(text.begin(), text.end(), '\n');
  if (!known || size.ws_row == 0 || lines < size.ws_row) {
    out << text;
    return;
  }
  out << std::flush;
  const char* const given = std::getenv("PAGER");
  const std::string pager = given == nullptr ? "less -FRX" : given;
  std::FILE* const pipe = pager.empty() ? nullptr : ::popen(pager.c_str(), "w");
  if (pipe == nullptr) {
    out << text;
    return;
  }
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // the user may leave the pager before the end
  std::fwrite(text.data(), 1, text.size(), pipe);
  constexpr int kNoSuchProgram = 127;
  const int ended = ::pclose(pipe);
  std::signal(SIGPIPE, before);
  if (WIFEXITED(ended) && WEXITSTATUS(ended) == kNoSuchProgram) out << text;  // nothing was shown
}

}  // namespace flashloom
