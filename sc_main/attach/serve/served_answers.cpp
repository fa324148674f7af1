#include "sc_main/attach/serve/served_answers.hpp"

#include <fmt/format.h>

#include <iostream>

#include "sc_main/assembly/config/content_hash.hpp"

namespace flashloom {

AnswerOptions answer_options(const ServeOptions& options) {
  return {.out = options.out,
          .io_log = options.io_log,
          .pictures = options.pictures,
          .json = options.json,
          .quiet = options.quiet};
}

void announce(const ServeOptions& options, const std::string& device, std::uint64_t bytes, const std::string& where,
              std::ostream& out) {
  if (options.quiet) return;
  (options.json ? std::cerr : out) << fmt::format("{}: {} bytes at {}\n", device, bytes, where) << std::flush;
}

Workload workload_of_clients(const std::string& kind) {
  Workload workload;
  workload.kind = kind;
  workload.file = "clients";
  workload.hash = content_hash("");
  return workload;
}

void finish_answers(RunAnswers& answers, const RunCost& cost, const ServedFront& front, const std::string& state,
                    std::string notes, std::ostream& out) {
  nlohmann::ordered_json more;
  if (front.pace()) {
    more["pace"] = pace_json(*front.pace());
    notes += pace_note(*front.pace());
  }
  answers.write(cost, state, more);
  answers.print(out, notes);
  answers.require_verified();
}

}  // namespace flashloom
