#include "sc_main/program/options/trace_columns.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sc_main/assembly/config/document.hpp"

namespace flashloom {

void add_columns_beside(const std::string& path, const std::string& format,
                        std::map<std::string, std::string>& parameters) {
  const std::string beside = path + ".columns.toml";
  std::error_code ignored;
  if (parameters.contains("columns") || (!format.empty() && format != "csv") ||
      !std::filesystem::exists(beside, ignored))
    return;
  std::ostringstream text;
  text << std::ifstream(beside, std::ios::binary).rdbuf();
  std::string columns;
  const ConfigNode document = parse_document(text.str(), beside);
  for (const auto& [name, value] : document.table()) {
    columns += name + "=";
    if (const auto* const word = std::get_if<std::string>(&value.value))
      columns += *word;
    else if (const auto* const number = std::get_if<std::int64_t>(&value.value))
      columns += std::to_string(*number);
    else
      throw ConfigError(value.where, name, std::string("is ") + value.type_name() + "; give a string or an integer");
    columns += '\n';
  }
  if (columns.empty()) throw ConfigError(beside, "columns", "the file says nothing");
  parameters["columns"] = columns;
}

}  // namespace flashloom
