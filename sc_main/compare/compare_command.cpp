#include "sc_main/compare/compare_command.hpp"

#include "sc_main/compare/compare_page.hpp"
#include "sc_main/config/json_text.hpp"
#include "sc_main/run/result_folder.hpp"

namespace flashloom {

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

}  // namespace flashloom
