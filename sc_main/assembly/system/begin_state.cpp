#include "sc_main/assembly/system/begin_state.hpp"

namespace flashloom {

PreconditionResult begin_state(Simulation& simulation, StateReader* state,
                               const std::function<void(const char*, double)>& progress) {
  if (state == nullptr) return simulation.precondition(progress);
  PreconditionResult precondition;
  simulation.state(*state, precondition);
  state->finish();
  return precondition;
}

}  // namespace flashloom
