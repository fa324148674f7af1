#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/program/compare/compare_page.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/compare_options.hpp"
#include "sc_main/program/run/result_folder.hpp"

namespace flashloom {
namespace {

int compare_command(const CompareOptions& options, std::ostream& out) {
  const std::vector<ComparedRun> runs = read_runs(options.results);
  const Comparison comparison = compare(runs);
  if (!options.html.empty()) write_whole(options.html, compare_page(runs, comparison));
  if (options.json)
    out << json_text(comparison_json(comparison), 2) << '\n';
  else
    out << comparison_text(comparison);
  return 0;
}

const RegisterCommand registered_compare(kCompareCommand, compare_command);

}  // namespace
}  // namespace flashloom
