#include "sc_main/program/options/man_page.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "sc_main/assembly/version.hpp"

namespace flashloom {
namespace {

struct ManualEntry {
  const char* name;
  const char* text;
};

constexpr std::array kExitCodes = std::to_array<ManualEntry>({
    {"0", "Done."},
    {"1", "The run failed, or its results could not be written."},
    {"2", "Bad input; the message names file, line and key, or the option, and says what would be valid."},
    {"130", "Interrupted."},
});

constexpr std::array kFiles = std::to_array<ManualEntry>({
    {"configs/*.toml", "Presets in the folder in which the program is started."},
    {"PREFIX/share/flashloom/configs/*.toml", "Presets that were installed with the program in PREFIX/bin."},
});

constexpr std::array kEnvironment = std::to_array<ManualEntry>({
    {"FLASHLOOM_CONFIGS", "Folders of presets, with colons between them, that come before the others."},
    {"FLASHLOOM_PLUGINS", "Shared objects to load, with colons between them, as by --plugin."},
    {"FLASHLOOM_LINUX", "The User-Mode Linux that `flashloom linux` boots."},
    {"NO_COLOR", "If it is not empty: no colours and no bold type, not even on a terminal."},
    {"PAGER", "What shows lists that are longer than the terminal; default: less -FRX."},
    {"TMPDIR", "Where contents go that do not fit into memory; default: /tmp."},
});

/// Escapes a text within a line of roff.
std::string escaped(const std::string& text) {
  std::string roff;
  for (const char c : text) {
    if (c == '\\')
      roff += "\\e";
    else if (c == '-')
      roff += "\\-";
    else if (c == '\'')
      roff += "\\(aq";
    else if (c == '`')
      roff += "\\(ga";
    else if (c == '"')
      roff += "\\(dq";
    else if (c == '|')
      roff += "|\\:";  // a line may break here
    else
      roff += c;
  }
  return roff;
}

/// The same for prose, in which `...` marks literal input.
std::string prose(const std::string& text) {
  std::string roff;
  std::size_t from = 0;
  for (;;) {
    const std::size_t open = text.find('`', from);
    const std::size_t close = open == std::string::npos ? open : text.find('`', open + 1);
    if (close == std::string::npos) return roff + escaped(text.substr(from));
    roff += escaped(text.substr(from, open - from));
    roff += "\\fB";
    roff += escaped(text.substr(open + 1, close - open - 1));
    roff += "\\fR";
    from = close + 1;
  }
}

/// A line of text; escapes a first character that would make it a macro.
std::string line(const std::string& roff) {
  return (roff.starts_with('.') || roff.starts_with('\'') ? "\\&" : "") + roff + "\n";
}

/// The same, broken into source lines of at most kWidth characters; roff fills the lines again.
std::string wrapped(const std::string& roff) {
  constexpr std::size_t kWidth = 78;
  std::string lines;
  std::string current;
  std::istringstream words(roff);
  for (std::string word; words >> word;) {
    if (!current.empty() && current.size() + 1 + word.size() > kWidth) {
      lines += line(current);
      current.clear();
    }
    current += (current.empty() ? "" : " ") + word;
  }
  return lines + line(current);
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string page_name(const CommandEntry& entry) {
  std::string name = full_name(entry);
  for (char& c : name)
    if (c == ' ') c = '-';
  return name;
}

std::string tagged(const std::string& tag, const std::string& text) {
  return ".TP\n" + line(tag) + (text.empty() ? line("\\&") : wrapped(text));
}

template <class Entries>
std::string list_of(const char* title, const Entries& entries) {
  std::string page = fmt::format(".SH {}\n", title);
  for (const ManualEntry& entry : entries) page += tagged(bold(entry.name), prose(entry.text));
  return page;
}

std::string paragraphs(const std::string& text) {
  std::string page;
  bool begun = false;
  std::istringstream lines(text);
  bool pending = false;
  for (std::string each; std::getline(lines, each);) {
    if (each.empty()) {
      pending = begun;
      continue;
    }
    if (pending) page += ".PP\n";
    pending = false;
    begun = true;
    page += wrapped(prose(each));
  }
  return page;
}

std::string synopsis(const CLI::App& app, const std::string& name) {
  std::string text = bold(name);
  if (!app.get_subcommands({}).empty())
    return line(text + " [" + italic("OPTIONS") + "] " + italic("COMMAND") + " ...");
  text += " [" + italic("OPTIONS") + "]";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string value = italic(option->get_type_name()) + (option->get_expected_max() > 1 ? " ..." : "");
    text += option->get_required() ? " " + value : " [" + value + "]";
  }
  return wrapped(text);
}

std::string options_of(const CLI::App& app) {
  std::string page;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) page += tagged(italic(option->get_type_name()), prose(option->get_description()));
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    std::string tag;
    for (const std::string& name : option->get_snames()) tag += (tag.empty() ? "" : ", ") + bold("-" + name);
    for (const std::string& name : option->get_lnames()) tag += (tag.empty() ? "" : ", ") + bold("--" + name);
    if (option->get_items_expected_max() > 0) tag += " " + italic(option->get_type_name());
    page += tagged(tag, prose(option->get_description()));
  }
  return page;
}

std::string examples_of(const std::string& examples) {
  std::string page = ".SH EXAMPLES\n.EX\n";
  std::istringstream lines(examples);
  for (std::string each; std::getline(lines, each);) {
    if (each.empty()) continue;
    page += line(escaped(each.starts_with("  ") ? each.substr(2) : each));
  }
  return page + ".EE\n";
}

/// The related pages, separated by commas: the commands of a group, or the program and the other commands of the group.
std::string see_also(const CommandTree& tree, const Command& command) {
  const std::string own = command.entry->name;
  std::vector<std::string> pages;
  for (const Command& other : tree.commands()) {
    if (&other == &command) continue;
    const std::string name = other.entry->name;
    const bool of_program = name.empty() || own.empty();
    const bool related = own.substr(0, own.find(' ')) == name.substr(0, name.find(' '));
    if (of_program || related) pages.push_back(page_name(*other.entry));
  }
  std::string page = ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < pages.size(); ++i)
    page += ".BR " + escaped(pages[i]) + " (1)" + (i + 1 < pages.size() ? " ,\n" : "\n");
  return page;
}

}  // namespace

std::string help_text(const Command& command) {
  const std::string name = full_name(*command.entry);
  const std::size_t space = name.rfind(' ');
  return command.app->help(space == std::string::npos ? "" : name.substr(0, space));
}

std::string man_page(const CommandTree& tree, const Command& command) {
  const CommandEntry& entry = *command.entry;
  std::string title = page_name(entry);
  for (char& c : title)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::string page = fmt::format(".\\\" Made by `{} --man`.\n.TH {} 1 {} \"flashloom {}\" \"Flashloom\"\n",
                                 "flashloom help", escaped(title), flashloom_release_date(), flashloom_version());
  page += ".nh\n.ad l\n.SH NAME\n" + wrapped(escaped(page_name(entry)) + " \\- " + prose(entry.summary));
  page += ".SH SYNOPSIS\n" + synopsis(*command.app, full_name(entry));
  page += ".SH DESCRIPTION\n";
  const std::string description = paragraphs(entry.description);
  page += description.empty() ? wrapped(prose(entry.summary) + ".") : description;
  page += ".SH OPTIONS\n" + options_of(*command.app);
  if (!command.app->get_subcommands({}).empty()) {
    page += ".SH COMMANDS\n";
    for (const Command& other : tree.commands()) {
      const std::string name = other.entry->name;
      const std::string group = entry.name;
      const bool within = group.empty() ? !name.empty() : name.starts_with(group + " ");
      if (within) page += tagged(bold(name), prose(other.entry->summary));
    }
  } else {
    page += ".PP\n" + wrapped(prose("Those of the program itself, in `flashloom`(1), may stand here too."));
  }
  if (*entry.examples != '\0') page += examples_of(entry.examples);
  page += list_of("EXIT STATUS", kExitCodes) + list_of("FILES", kFiles) + list_of("ENVIRONMENT", kEnvironment);
  return page + see_also(tree, command);
}

void write_man_pages(const CommandTree& tree, const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (const Command& command : tree.commands()) {
    const std::string path = folder + "/" + page_name(*command.entry) + ".1";
    std::ofstream file(path);
    file << man_page(tree, command);
    file.close();
    if (!file) throw std::runtime_error(path + ": cannot be written");
  }
}

}  // namespace flashloom
