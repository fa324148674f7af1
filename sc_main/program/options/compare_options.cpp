#include "sc_main/program/options/compare_options.hpp"

#include <CLI/CLI.hpp>

#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

constexpr const char* kCompareDescription = R"(
What runs of `flashloom run --out`, or data sheets, made of it, side by side: figures with their ratio to the first
one's, and the keys in which the configurations differ. Of runs the page has latency tails, throughput and power over
time, and parts of the latency and of the energy, too (docs/how-to/compare.md).)";

constexpr const char* kCompareExamples = R"(
  flashloom run tiny --generate mix:requests=20000 --out a
  flashloom run tiny --generate mix:requests=20000 --set nand.ways=4 --out b
  flashloom compare a b
  flashloom compare a b c --html compare.html
  flashloom compare a b --json | jq '.metrics[] | select(.key == "ftl.waf")')";

void add_compare(CLI::App& command, CompareOptions& options) {
  command.add_option("results", options.results, "folders of `run` or `datasheet`, or their JSON files; two or more")
      ->type_name("RESULT");
  command.add_flag("--json", options.json, "machine-readable");
  command.add_option("--html", options.html, "page to write: one file that needs no other")->type_name("F");
}

CompareOptions checked_compare(const CompareOptions& options) {
  constexpr std::size_t kMost = 20;  // the page has as many colours
  if (options.results.size() < 2)
    throw UsageError(
        "compare: give two or more results: folders of `flashloom run --out` or `datasheet`, or their JSON files");
  if (options.results.size() > kMost)
    throw UsageError("compare: " + std::to_string(options.results.size()) + " results; at most " +
                     std::to_string(kMost));
  return options;
}

}  // namespace

constinit const CommandEntry kCompareCommand{.name = "compare",
                                             .place = 110,
                                             .summary = "Put runs side by side: a table, and a page with figures",
                                             .description = kCompareDescription,
                                             .examples = kCompareExamples,
                                             .add = &add_command<CompareOptions, add_compare, checked_compare>};

}  // namespace flashloom
