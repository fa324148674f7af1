#include "sc_main/program/options/trace_columns.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sc_main/assembly/config/document.hpp"
#include "workloads/traces/fields.hpp"
#include "workloads/traces/table_layout.hpp"

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
    const auto* const number = std::get_if<std::int64_t>(&value.value);
    const auto* const word = std::get_if<std::string>(&value.value);
    if (number == nullptr && word == nullptr)
      throw ConfigError(value.where, name, std::string("is ") + value.type_name() + "; give a string or an integer");
    const std::string said = number != nullptr ? std::to_string(*number) : *word;
    try {
      check_assignment(name, said);
    } catch (const FieldError& error) {
      throw ConfigError(value.where, name, error.what());
    }
    columns.append(name).append("=").append(said).append("\n");
  }
  if (columns.empty()) throw ConfigError(beside, "columns", "the file says nothing");
  for (const char* const name : {"op", "offset", "size"})
    if (document.find(name) == nullptr) throw ConfigError(beside, name, "is missing");
  parameters["columns"] = columns;
}

}  // namespace flashloom
