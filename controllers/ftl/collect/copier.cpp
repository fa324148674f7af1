#include "controllers/ftl/collect/copier.hpp"

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {
namespace {

// Copies that a die's worker reads ahead of their programs: two keep the die busy, more would only fill DRAM.
constexpr std::uint32_t kCopiesInFlight = 2;
constexpr std::size_t kLetGo = 64;  // entries, at least

}  // namespace

Copier::Copier(const FtlContext& context, BlockTable& blocks, Programmer& programmer, CopyDebt* debt)
    : blocks_(blocks),
      programmer_(programmer),
      debt_(debt),
      in_flight_(context.config.blocks_host() ? 1 : kCopiesInFlight),
      dies_(context.geometry.dies) {
  for (DieState& die : dies_) die.window.debt = debt;
}

void Copier::launch(ProgramJob& job) {
  const std::uint32_t die = blocks_.die_of(job.block);
  DieState& state = dies_[die];
  if (!state.working && state.window.in_flight == 0 && programmer_.carry_out_now(job)) return;
  if (debt_ != nullptr) debt_->owe(die);
  // Removes gathered entries as the list grows: if collection always lags, the list never becomes empty.
  if (state.next >= kLetGo && 2 * state.next >= state.work.size()) {
    state.work.erase(state.work.begin(), state.work.begin() + static_cast<std::ptrdiff_t>(state.next));
    state.next = 0;
  }
  if (state.working && job.command.origin != Origin::Host && job.failures.empty() && !job.fails)
    state.work.push_back({nullptr, programmer_.jobs().park(job)});
  else
    state.work.push_back({&job, {}});
  if (state.working) return;
  state.working = true;
  Runtime::current().spawn([this, die] { return work(die); });
}

Task<void> Copier::work(std::uint32_t die) {
  DieState& state = dies_[die];
  while (state.next != state.work.size()) {
    while (state.window.in_flight >= in_flight_) co_await state.window.room.wait();
    const Work& work = state.work[state.next++];
    ProgramJob& job = work.job != nullptr ? *work.job : programmer_.jobs().unpark(work.parked);
    job.window = &state.window;
    if (!programmer_.reads().can_copy_back(job)) co_await programmer_.reads().gather(job);
    ++state.window.in_flight;
    programmer_.program(job);
  }
  state.work.clear();
  state.next = 0;
  state.working = false;
}

}  // namespace flashloom
