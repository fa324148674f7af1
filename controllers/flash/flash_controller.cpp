#include "controllers/flash/flash_controller.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/common/counters.hpp"
#include "models/common/timer_queue.hpp"
#include "policies/registry.hpp"

namespace flashloom {
namespace {

/// Adds the time that a command used before `now`; instants that are not known are kNever. `data_only`: it was read
/// together with another command, to which command cycles and array time belong.
[[gnu::always_inline]] inline void add_activity(DieActivity& activity, const OnfiCommand& command, bool data_only,
                                                Picoseconds now) {
  const auto part = [now](Picoseconds from, Picoseconds to) { return std::min(to, now) - std::min(from, now); };
  if (command.operation == FlashOperation::Read) activity.transfer += part(command.at.data_begin, command.at.complete);
  if (data_only) return;
  const Picoseconds array = part(command.at.array_begin, command.at.array_end);
  activity.transfer += part(command.at.granted, command.at.loaded);
  switch (command.operation) {
    case FlashOperation::Read:
      activity.read += array;
      return;
    case FlashOperation::Program:
      activity.program += array;
      return;
    case FlashOperation::Erase:
      activity.erase += array;
      return;
  }
}

std::array<Picoseconds, kFlashOperations> page_service(const NandGeometry& geometry, const NandTiming& timing) {
  Picoseconds reads = 0;
  Picoseconds programs = 0;
  for (std::uint32_t page = 0; page < geometry.pages; ++page) {
    reads += timing.unloaded_read(geometry.page_bytes, Page{page});
    programs += timing.unloaded_program(Page{page});
  }
  return {reads / geometry.pages, programs / geometry.pages, timing.unloaded_erase()};
}

}  // namespace

tlm::tlm_sync_enum FlashController::DieState::nb_transport_bw(OnfiCommand& command, tlm::tlm_phase& phase,
                                                              sc_core::sc_time&) {
  if (phase != tlm::END_RESP || (current != &command && !controller->overtakes(*this, command))) [[unlikely]]
    controller->refuse_phase();
  controller->complete(*this, command);
  return tlm::TLM_COMPLETED;
}

QueueWait& QueueWait::operator+=(const QueueWait& other) {
  flashloom::add(*this, other);
  return *this;
}

OverlapCounts& OverlapCounts::operator+=(const OverlapCounts& other) {
  add(*this, other);
  return *this;
}

FlashController::FlashController(const sc_core::sc_module_name& name, Channel channel, const NandGeometry& geometry,
                                 const NandTiming& timing, const PolicyChoice& arbitration, FlashCounters& counters,
                                 QueuePlaces* places, PowerGovernor* governor, DutyGate* gate)
    : sc_module(name),
      to_channel("to_channel", geometry.dies_per_channel()),
      geometry_(geometry),
      timing_(timing),
      counters_(counters),
      places_(places),
      governor_(governor),
      gate_(gate),
      direct_(governor == nullptr && gate == nullptr),
      channel_(channel),
      dies_(std::make_unique<DieState[]>(geometry.dies_per_channel())),
      arbitration_(Family<Arbitration>::make(
          arbitration, {.dies = geometry.dies_per_channel(), .service = page_service(geometry, timing)})) {
  for (std::uint32_t i = 0; i < geometry.dies_per_channel(); ++i) {
    dies_[i].controller = this;
    dies_[i].position = i;
    to_channel[i].bind(dies_[i]);
  }
  overlap_ = timing.overlap().several_commands();
  registers_ = timing.overlap().page_register;
  if (geometry.plane_groups > 1) {
    beside_.resize(std::size_t{geometry.dies_per_channel()} * (geometry.plane_groups - 1));
    waiting_reads_.resize(std::size_t{geometry.dies_per_channel()} * geometry.plane_groups);
  }
  orders_bus_ = arbitration_->orders_bus();
  counts_service_ = arbitration_->counts_service();
  flow_lanes_ = arbitration_->flow_lanes();
  for (std::size_t operation = 0; operation < kFlashOperations; ++operation)
    for (std::size_t origin = 0; origin < kOrigins; ++origin) {
      const std::uint32_t lane =
          arbitration_->lane(static_cast<FlashOperation>(operation), static_cast<Origin>(origin));
      const bool by_flow =
          static_cast<FlashOperation>(operation) == FlashOperation::Read && static_cast<Origin>(origin) == Origin::Host;
      if (flow_lanes_ == 0 || lane + (by_flow ? flow_lanes_ - 1 : 0) >= kLanes)
        throw std::logic_error("arbitration " + arbitration.name + " names a lane that does not exist");
      lane_of_[operation][origin] = static_cast<std::uint8_t>(lane);
    }
}

void FlashController::refuse_phase() const {
  throw std::logic_error(std::string(name()) + ": unexpected phase from the channel");
}

void FlashController::submit(std::uint32_t position, OnfiCommand& command, Picoseconds switch_wait) {
  DieState& die = dies_[position];
  const Picoseconds now = kernel_now();
  for_each_of_group(command, [this, now, switch_wait](OnfiCommand& each) {
    each.at.queued = now - switch_wait;
    each.at.switch_wait = switch_wait;
    each.next = nullptr;
    ++pending_;
  });
  longest_queue_ = std::max(longest_queue_, ++die.entries);
  if (counts_service_) [[unlikely]]
    arbitration_->arrived(position, command, die.entries == 1);
  if (die.current == nullptr && direct_) {
    start(die, command);
    return;
  }
  const bool nobody = die.waiting == 0 && die.then == nullptr;
  push(die, command);
  if (overlap_) [[unlikely]] {
    send_more(die);
    if (governor_ != nullptr) return;
  }
  if (direct_ || die.current != nullptr) return;
  if (governor_ == nullptr)
    start_next(die);
  else if (nobody)
    governor_->request(die.number());
  else
    governor_->joined(die.number());
}

void FlashController::connect(FlashWires& wires) {
  for (std::uint32_t i = 0; governor_ != nullptr && i < geometry_.dies_per_channel(); ++i)
    governor_->connect(dies_[i].number(), dies_[i], channel_, wires);
}

GovernedDie::Candidate FlashController::DieState::candidate() const {
  Candidate found;
  if (controller->overlap_) [[unlikely]] {
    found = controller->candidate(*this);
  } else if (then != nullptr) {
    found = {then, controller->lane_of(*then)};
  } else {
    const std::uint32_t lane = controller->choose(*this);
    found = {lanes[lane].first, lane};
  }
  if (found.command != nullptr) found.command->in_register = controller->in_register(*this, *found.command);
  return found;
}

void FlashController::DieState::grant() {
  OnfiCommand* const granted = candidate().command;
  const Picoseconds waited = kernel_now() - std::max(idle_since, granted->at.queued + granted->at.switch_wait);
  if (controller->overlap_) [[unlikely]] {
    const Next next = controller->next(*this);
    if (next.kind != Next::Kind::Resumed)
      for (OnfiCommand* each = granted; each != nullptr; each = each->together) each->at.power_wait = waited;
    idle_since = kernel_now();
    controller->hand_over(*this, next);
    return controller->send_more(*this);
  }
  OnfiCommand& command =
      then != nullptr ? *std::exchange(then, nullptr) : controller->pop(*this, controller->choose(*this));
  for (OnfiCommand* each = &command; each != nullptr; each = each->together) each->at.power_wait = waited;
  controller->start(*this, command);
}

// Whether the page register may serve a command, and hold its page afterwards. A retry leaves data that were read at
// other voltages.
bool FlashController::is_single_read(const OnfiCommand& command) {
  return command.operation == FlashOperation::Read && command.retry == 0 && command.together == nullptr &&
         command.then == nullptr;
}

// Whether the array has nothing to do for a command that begins now.
bool FlashController::in_register(const DieState& die, const OnfiCommand& command) const {
  return die.page_register == command.address && is_single_read(command) && is_alone(die, command);
}

// No other command of the die is under way.
bool FlashController::is_alone(const DieState& die, const OnfiCommand& command) const {
  if (!overlap_) return true;
  const bool first = die.current == nullptr || die.current == &command;
  return first && die.held == nullptr && die.behind == nullptr && die.intruder == nullptr &&
         std::ranges::all_of(beside(die), [](const PlaneRead& read) { return read.command == nullptr; });
}

void FlashController::use_register(DieState& die, OnfiCommand& command) {
  command.in_register = in_register(die, command);
  if (command.in_register) ++overlap_counts_.register_reads;
  die.page_register.reset();
}

void FlashController::keep_page(DieState& die, const OnfiCommand& command) {
  if (is_single_read(command) && is_alone(die, command)) die.page_register = command.address;
}

void FlashController::push(DieState& die, OnfiCommand& command) {
  const std::uint32_t number = lane_of(command);
  ArbitrationLane& lane = die.lanes[number];
  if (lane.first == nullptr) {
    lane = {&command, 0};
    die.waiting |= 1U << number;
  } else {
    die.last[number]->next = &command;
  }
  die.last[number] = &command;
  if (!waiting_reads_.empty()) [[unlikely]]
    count_waiting(die, command, 1);
}

bool FlashController::shut() {
  if (gate_ == nullptr || gate_->open(kernel_now())) return false;
  gate_->wait();
  return true;
}

void FlashController::gate_opened() {
  for (std::uint32_t i = 0; i < to_channel.size(); ++i) {
    DieState& die = dies_[i];
    if (die.current == nullptr) start_next(die);
    if (overlap_) send_more(die);
  }
}

inline void FlashController::end_group(DieState& die, const OnfiCommand& command) {
  if (governor_ != nullptr) [[unlikely]]
    die.idle_since = command.at.complete;
  if (die.then != nullptr) [[unlikely]] {  // the die goes on with the second half of a copyback
    if (governor_ == nullptr)
      start(die, *std::exchange(die.then, nullptr));
    else if (overlap_)
      governor_->ask(die.number());
    else
      governor_->request(die.number());
    return;
  }
  --die.entries;
  if (const OnfiCommand* const next = die.lanes[lane_of(command)].first;
      registers_ || (next != nullptr && next->address == command.address)) [[unlikely]]
    keep_page(die, command);
  if (overlap_) [[unlikely]]
    go_on(die);
  else
    start_next(die);
  if (places_ != nullptr) [[unlikely]]
    places_->give_back(command.address.die.value());
}

void FlashController::complete(DieState& die, OnfiCommand& command) {
  if (overlap_) [[unlikely]] {
    die.activity = overlapping(die, command.at.complete);
    die.booked_until = command.at.complete;
    overlap_counts_.standing += command.at.suspended;
  } else {
    add_activity(die.activity, command, die.data_only, kNever);  // all of it is over
  }
  die.current = command.together;
  --pending_;
  if (!die.data_only) {
    if (!beside_.empty() && command.operation == FlashOperation::Read) [[unlikely]]
      die.history.note_overlapping(command);
    else
      die.history.note(command);
    waits_[static_cast<std::size_t>(command.operation)][static_cast<std::size_t>(command.origin)].add(
        command.at.granted - command.at.queued, command.at.power_wait);
    if (governor_ != nullptr) [[unlikely]]
      governor_->ended(die.number(), command, !overlap_ || die.current != nullptr);
  } else if (die.then == nullptr) {
    ++counters_.read_together;
  }
  die.data_only = true;
  if (ecc_ != nullptr && command.operation == FlashOperation::Read) [[unlikely]]
    ecc_->decode(command, true);
  count_flash(counters_, command, geometry_, timing_);
  if (observer_ != nullptr) [[unlikely]]
    observer_->flash_completed(command);
  if (die.current == nullptr) end_group(die, command);
  if (pipeline_ != nullptr && command.operation == FlashOperation::Read && command.bytes != 0) [[unlikely]]
    pipeline_->pass(command);
  else
    command.completion->on_flash_complete(command);
}

void FlashController::power_cut(Picoseconds at) {
  for (std::uint32_t i = 0; i < to_channel.size(); ++i) {
    DieState& die = dies_[i];
    die.activity = under_way(die, at);
    die.booked_until = at;
    die.current = die.then = die.behind = die.intruder = die.held = nullptr;
    die.lanes = {};
    die.waiting = 0;
    die.entries = 0;
    die.page_register.reset();
  }
  std::fill(beside_.begin(), beside_.end(), PlaneRead{});
  std::fill(waiting_reads_.begin(), waiting_reads_.end(), 0);
  pending_ = 0;
}

DieActivity FlashController::under_way(const DieState& die, Picoseconds now) const {
  if (overlap_) [[unlikely]]
    return overlapping(die, now);
  DieActivity activity = die.activity;
  if (die.current != nullptr) add_activity(activity, *die.current, die.data_only, now);
  return activity;
}

DieActivity FlashController::activity(std::uint32_t position, Picoseconds now) const {
  DieActivity activity = under_way(dies_[position], now);
  const Picoseconds busy = activity.read + activity.program + activity.erase + activity.transfer;
  assert(busy <= now);
  activity.idle = now - busy;
  return activity;
}

}  // namespace flashloom
