// What formats of Linux's block events have in common: a request leaves several events, of which the option action
// chooses one.
#pragma once

#include <string>
#include <utility>

#include "workloads/traces/trace_format.hpp"

namespace flashloom {

/// The declaration of the option action: D issued, Q queued, C completed.
inline TraceParameter block_action(std::string help) {
  return {.name = "action", .default_value = "D", .choices = {"D", "Q", "C"}, .help = std::move(help)};
}

/// The end of the message that a trace has no event of the action; `others`: it has events of another one.
inline std::string but_other_actions(bool others) {
  return others ? ", but other ones: choose by the option action (D, Q or C)" : "";
}

}  // namespace flashloom
