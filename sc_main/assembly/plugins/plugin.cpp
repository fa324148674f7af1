#include "sc_main/assembly/plugins/plugin.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "policies/registry.hpp"
#include "sc_main/assembly/config/content_hash.hpp"
#include "sc_main/assembly/plugins/plugin_interface.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

std::vector<LoadedPlugin>& loaded() {
  static std::vector<LoadedPlugin> all;
  return all;
}

[[noreturn]] void refuse_plugin(const std::string& path, const std::string& why) {
  throw PluginError(path + ": " + why);
}

/// The text after the mark in a plug-in's file, up to its terminating zero; empty if the file has no mark.
std::string interface_of(const std::string& content) {
  const std::size_t mark = content.find(FLASHLOOM_PLUGIN_MARK);
  if (mark == std::string::npos) return {};
  return content.c_str() + mark + sizeof(FLASHLOOM_PLUGIN_MARK) - 1;  // it ends with a zero
}

std::string content_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) refuse_plugin(path, "no such plug-in (a shared object is wanted)");
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) refuse_plugin(path, "cannot be read");
  return content;
}

void note_refusals(std::string* refusal) {
  PartCatalog::instance().note_refusal(refusal);
  TraceFormatRegistration::note_refusal(refusal);
}

}  // namespace

void load_plugin(const std::string& path) {
  const std::string content = content_of(path);
  if (!content.starts_with("\x7f"
                           "ELF"))
    refuse_plugin(path, "is no shared object");
  const std::string interface = interface_of(content);
  if (interface.empty())
    refuse_plugin(path, "is no plug-in of flashloom: link it with the CMake target Flashloom::plugin");
  if (interface != FLASHLOOM_PLUGIN_ABI)
    refuse_plugin(path, "was built for another flashloom: its interface is " + interface + ", this program's is " +
                            FLASHLOOM_PLUGIN_ABI + "; build it again with this one's headers and compiler");
  const LoadedPlugin plugin{fs::path(path).filename().string(), content_hash(content)};
  for (const LoadedPlugin& other : loaded())
    if (other.hash == plugin.hash) return;
  std::string refusal;
  note_refusals(&refusal);
  // Resolves all symbols now, so that a missing one is an error here and not during a run.
  const bool open = ::dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
  note_refusals(nullptr);
  if (!open) refuse_plugin(path, ::dlerror());
  if (!refusal.empty()) refuse_plugin(path, refusal);
  loaded().push_back(plugin);
}

const std::vector<LoadedPlugin>& loaded_plugins() { return loaded(); }

}  // namespace flashloom
