#include "sc_main/program/compare/compared_run.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "sc_main/assembly/report/report.hpp"
#include "sc_main/program/compare/compared_sheets.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResult = "result.json";
constexpr const char* kSheet = "datasheet.json";

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw UsageError("compare: '" + path + "': " + what);
}

std::string quoted_or_none(const nlohmann::ordered_json& value) {
  return value.is_string() ? "\"" + value.get<std::string>() + "\"" : std::string("none");
}

nlohmann::ordered_json read_result(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) refuse(path, "there is no such file; `flashloom run --out DIR` writes DIR/result.json");
  std::ifstream file(path);
  nlohmann::ordered_json result;
  if (!file) refuse(path, "cannot be read");
  try {
    result = nlohmann::ordered_json::parse(file);
  } catch (const nlohmann::json::parse_error& wrong) {
    refuse(path, std::string("is no JSON: ") + wrong.what());
  }
  const nlohmann::ordered_json schema =
      result.is_object() ? result.value("schema", nlohmann::ordered_json()) : nlohmann::ordered_json();
  if (schema == kSheetSchema) return result;
  if (schema != kResultSchema)
    refuse(path, std::string("schema is ") + quoted_or_none(schema) + ", and must be \"" + kResultSchema + "\" or \"" +
                     kSheetSchema + "\": what a `flashloom run` or `datasheet` of this version wrote");
  for (const char* const part : {"host", "ftl", "flash", "energy", "config"})
    if (!result.contains(part) || !result[part].is_object()) refuse(path, std::string(part) + " is not there");
  return result;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  if (!line.empty() && line.back() == ',') cells.emplace_back();
  return cells;
}

double number(const std::string& cell, const std::string& where, std::size_t line) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (*end != '\0') refuse(where, "line " + std::to_string(line) + ": '" + cell + "' is no number");
  return value;
}

// Calls f(header, cells, line) for each line of a table; does nothing if there is no file.
template <typename F>
void read_table(const fs::path& path, F&& f) {
  std::ifstream file(path);
  std::string text;
  if (!file || !std::getline(file, text)) return;
  const std::vector<std::string> header = split(text);
  for (std::size_t line = 2; std::getline(file, text); ++line) {
    const std::vector<std::string> cells = split(text);
    if (cells.size() != header.size())
      refuse(path, "line " + std::to_string(line) + ": " + std::to_string(cells.size()) + " cells; the header has " +
                       std::to_string(header.size()));
    f(header, cells, line);
  }
}

void read_tables(const fs::path& folder, ComparedRun& run) {
  const fs::path tails = folder / "latency_cdf.csv", series = folder / "series.csv";
  read_table(tails, [&](const auto& header, const auto& cells, std::size_t line) {
    if (header.size() != 4 || header[1] != "latency_ns")
      refuse(tails, "line 1: the header must be operation,latency_ns,share,above");
    run.tails[cells[0]].push_back({number(cells[1], tails, line), number(cells[3], tails, line)});
  });
  const auto read_columns = [](const fs::path& path, std::map<std::string, std::vector<double>>& columns) {
    read_table(path, [&](const auto& header, const auto& cells, std::size_t line) {
      for (std::size_t i = 0; i < header.size(); ++i) columns[header[i]].push_back(number(cells[i], path, line));
    });
  };
  read_columns(series, run.series);
  read_columns(folder / "uncertainty.csv", run.samples);
}

// The last `parts` names in the path of a result's folder.
std::string short_name(const fs::path& folder, int parts) {
  fs::path name;
  for (fs::path rest = folder; parts > 0 && rest.has_relative_path(); rest = rest.parent_path(), --parts)
    name = name.empty() ? rest.filename() : rest.filename() / name;
  return name.string();
}

void name_runs(std::vector<ComparedRun>& runs) {
  std::vector<fs::path> folders;
  for (const ComparedRun& run : runs) {
    const fs::path path = fs::absolute(run.path).lexically_normal();
    folders.push_back(path.filename() == kResult || path.filename() == kSheet ? path.parent_path() : path);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (int parts = 1; parts <= 64; ++parts) {
      runs[i].name = short_name(folders[i], parts);
      bool alone = true;
      for (std::size_t k = 0; k < runs.size(); ++k)
        alone = alone && (folders[k] == folders[i] || short_name(folders[k], parts) != runs[i].name);
      if (alone) break;
    }
    std::size_t before = 0;  // earlier occurrences of the same path
    for (std::size_t k = 0; k < i; ++k)
      if (folders[k] == folders[i]) ++before;
    if (before != 0) runs[i].name += " (" + std::to_string(before + 1) + ")";
  }
}

}  // namespace

std::vector<ComparedRun> read_runs(const std::vector<std::string>& paths) {
  std::vector<ComparedRun> runs;
  for (const std::string& given : paths) {
    std::error_code error;
    fs::path path(given);
    if (fs::is_directory(path, error)) path /= fs::exists(path / kSheet, error) ? kSheet : kResult;
    ComparedRun run{.path = path.string(), .result = read_result(path)};
    if (path.filename() == kResult) read_tables(path.parent_path(), run);
    if (!runs.empty() && is_sheet(run.result) != is_sheet(runs.front().result))
      refuse(path, "a run and a data sheet have no figure in common");
    runs.push_back(std::move(run));
  }
  name_runs(runs);
  return runs;
}

const nlohmann::ordered_json* value_at(const nlohmann::ordered_json& result, const std::string& path) {
  const nlohmann::ordered_json* value = &result;
  std::istringstream names(path.substr(1));
  for (std::string name; std::getline(names, name, '/');) {
    const auto found = value->is_object() ? value->find(name) : value->end();
    if (!value->is_object() || found == value->end()) return nullptr;
    value = &*found;
  }
  return value;
}

}  // namespace flashloom
