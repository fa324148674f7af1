// The answers of servers of a modelled drive.
#pragma once

#include <ostream>
#include <string>

#include "sc_main/attach/serve/serve_options.hpp"
#include "sc_main/attach/serve/served_front.hpp"
#include "sc_main/program/run/run_answers.hpp"

namespace flashloom {

AnswerOptions answer_options(const ServeOptions& options);

/// Says that clients can come: `where` to.
void announce(const ServeOptions& options, const std::string& device, std::uint64_t bytes, const std::string& where,
              std::ostream& out);

/// What clients have sent, as the workload of a result.
Workload workload_of_clients(const std::string& kind);

/// Writes, prints and checks the answers, with the pace of `front`. `state`: where the run began, or empty.
void finish_answers(RunAnswers& answers, const RunCost& cost, const ServedFront& front, const std::string& state,
                    std::string notes, std::ostream& out);

}  // namespace flashloom
