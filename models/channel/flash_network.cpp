#include "models/channel/flash_network.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "models/channel/bus_energy.hpp"
#include "models/nand/nand_config.hpp"

namespace flashloom {

FlashNetwork::FlashNetwork(const sc_core::sc_module_name& name, const NandConfig& config, const NandGeometry& geometry,
                           const NandTiming& timing, AlarmClock& clock, EnergyLedger* ledger)
    : WireArbiter(name, timing, geometry.dies, clock),
      geometry_(geometry),
      hop_time_(config.network.hop_time),
      reserve_time_(config.network.reserve_time),
      finder_(PathFinder::make(config.network, geometry.channels, geometry.ways)),
      taken_(finder_->links() + std::size_t{geometry.channels} * geometry.ways),
      link_time_(finder_->links()),
      ports_(finder_->ports()),
      waiting_{SortedRing(slots_.size()), SortedRing(slots_.size()), SortedRing(slots_.size()),
               SortedRing(slots_.size())},
      loads_(slots_.size()),
      data_outs_(slots_.size()),
      programs_(geometry.channels),
      overtaken_(geometry.channels),
      feeds_(geometry.channels) {
  if (timing.overlap().joins() || timing.way_switch_time() != 0)
    throw std::invalid_argument("a network has no cache commands, no suspension and no way switches");
  due_.reserve(slots_.size());
  for (Slot& slot : slots_) {
    slot.channel = geometry.channel_of(Die{slot.die}).value();
    slot.way = geometry.position_on_channel(Die{slot.die}) % geometry.ways;
    slot.path.links.reserve(finder_->longest());
  }
  for (std::uint32_t p = 0; ledger != nullptr && p < ports_.size(); ++p) {
    const bool across = p >= geometry.channels;
    const std::uint32_t number = across ? p - geometry.channels : p;
    ports_[p].meter =
        &ledger->add((across ? "vertical" : "channel") + std::to_string(number), "channel", power_figures(config));
  }
  use_.links = finder_->links();
}

void FlashNetwork::enqueue(std::uint32_t die, OnfiCommand& command, Picoseconds now) {
  const std::uint32_t index = free_slot(die, command);
  Slot& slot = slots_[index];
  static_cast<CommandWork&>(slot) = CommandWork(command, timing_);
  slot.wanted = now;
  const bool program = command.operation == FlashOperation::Program;
  if (program) ++programs_[slot.channel];
  waiting(program ? Wants::Program : Wants::Command).insert(now + command.urgency * kPatience, index);
  changed_ = true;
}

/// The first instant at which a new grant may become possible: a request arrives, or a link becomes free. (Links freed
/// by a completion are handled in finished(), which sets changed_.)
Picoseconds FlashNetwork::next_decision() const {
  Picoseconds at = changed_ ? decided() : kNever;
  for (const SortedRing* ring : {&loads_, &reads_, &polls_})
    if (!ring->empty()) at = std::min(at, ring->front().at);
  return at;
}

void FlashNetwork::decide(Picoseconds at) {
  changed_ = false;
  for (; !loads_.empty() && loads_.front().at <= at; loads_.pop_front()) release(slots_[loads_.front().index]);
  const auto due = [&](SortedRing& from, Wants wants) {
    for (; !from.empty() && from.front().at <= at; from.pop_front()) {
      Slot& slot = slots_[from.front().index];
      slot.wanted = from.front().at;
      waiting(wants).insert(from.front().at, from.front().index);
    }
  };
  due(polls_, Wants::Status);
  due(reads_, Wants::Data);
  while (grant_what_can(at)) {
  }
}

/// One arbitration round; true: links that it occupied are free again already.
bool FlashNetwork::grant_what_can(Picoseconds at) {
  bool again = grant_from(Wants::Status, at);
  again |= grant_from(Wants::Command, at);
  again |= grant_overdue(at);
  again |= grant_from(Wants::Data, at);
  again |= grant_from(Wants::Program, at);
  return again;
}

bool FlashNetwork::grant_from(Wants wants, Picoseconds at) {
  bool again = false;
  SortedRing& ring = waiting(wants);
  for (std::size_t i = 0; i < ring.size();) {
    const std::uint32_t index = ring[i].index;
    if (!find_path(index)) {
      ++i;
      continue;
    }
    ring.remove(index);
    again |= grant(wants, index, at);
  }
  return again;
}

/// Grants the first programs of channels that kProgramBound data-outs have passed.
bool FlashNetwork::grant_overdue(Picoseconds at) {
  bool again = false;
  SortedRing& ring = waiting(Wants::Program);
  for (std::size_t i = 0; i < ring.size();) {
    const std::uint32_t index = ring[i].index;
    if (overtaken_[slots_[index].channel] < kProgramBound || !find_path(index)) {
      ++i;
      continue;
    }
    ring.remove(index);
    again |= grant(Wants::Program, index, at);
  }
  return again;
}

bool FlashNetwork::find_path(std::uint32_t index) {
  Slot& slot = slots_[index];
  return taken_[chip_of(slot)] == 0 && finder_->find(slot.channel, slot.way, taken_, slot.path);
}

/// The slot's path is found; true: the transfer took no time.
bool FlashNetwork::grant(Wants wants, std::uint32_t index, Picoseconds at) {
  Slot& slot = slots_[index];
  switch (wants) {
    case Wants::Status:
      if (const Picoseconds ready = read_status(index, *slot.command, at); ready != kNever) await_data(index, ready);
      break;
    case Wants::Program:
      --programs_[slot.channel];
      overtaken_[slot.channel] = 0;
      start(index, at);
      break;
    case Wants::Command:
      start(index, at);
      break;
    case Wants::Data:
      if (programs_[slot.channel] != 0) ++overtaken_[slot.channel];
      data_outs_.insert(send_data(index, at), index);
      return false;  // data take time
  }
  if (slot.until != at) {
    loads_.insert(slot.until, index);
    return false;
  }
  release(slot);
  return true;
}

/// Occupies the slot's path from `at` on, for these cycles; `bytes`: page data in the data cycles.
BusGrant FlashNetwork::occupy(std::uint32_t index, Picoseconds at, Picoseconds command, Picoseconds data,
                              std::uint32_t bytes) {
  Slot& slot = slots_[index];
  const NetworkPath& path = slot.path;
  const Picoseconds begin = at + path.steps * reserve_time_;
  const Picoseconds data_begin = begin + path.hops() * hop_time_ + command;
  slot.until = data_begin + data;
  for (const std::uint32_t link : path.links) {
    taken_[link] = 1;
    link_time_[link] += slot.until - at;
  }
  taken_[chip_of(slot)] = 1;
  Port& port = ports_[path.port()];
  port.time.command += data_begin - at;
  port.time.data += data;
  port.last = {at, data_begin, slot.until};
  const std::uint64_t moved = data == 0 ? 0 : timing_.bus_bytes(bytes);
  if (port.meter != nullptr) {
    if (slot.until != at) port.meter->busy(1, at, slot.until);
    if (moved != 0) port.meter->count(0, moved * path.hops(), data_begin, slot.until);
  }
  ++use_.transfers;
  use_.hops += path.hops();
  use_.minimal += path.minimal ? 1 : 0;
  use_.own_port += path.port() == slot.channel ? 1 : 0;
  use_.scout_steps += path.steps;
  use_.bytes += moved;
  use_.byte_hops += moved * path.hops();
  if (at != slot.wanted) {
    ++use_.conflicts;
    use_.waited += at - slot.wanted;
    use_.longest_wait.note(at - slot.wanted);
  }
  return {begin, data_begin, slot.until};
}

void FlashNetwork::release(Slot& slot) {
  for (const std::uint32_t link : slot.path.links) taken_[link] = 0;
  taken_[chip_of(slot)] = 0;
  slot.path.links.clear();
}

void FlashNetwork::enqueue_data(std::uint32_t index, Picoseconds ready) {
  if (ready > decided()) {
    reads_.insert(ready, index);
    return;
  }
  slots_[index].wanted = decided();  // another page went first
  waiting(Wants::Data).insert(ready, index);
  changed_ = true;
}

void FlashNetwork::finished(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.path.links.empty()) return;
  release(slot);
  changed_ = true;
}

/// Lower bound of the time from the grant that the slot's command waits for to its completion.
Picoseconds FlashNetwork::least_time(Wants wants, const Slot& slot) const {
  const Picoseconds data_out = slot.sends_data() ? slot.select_time + slot.data_time : 0;
  switch (wants) {
    case Wants::Status:
      return timing_.overlap().status_read + data_out;
    case Wants::Command:
      return slot.command_time + slot.array_time + data_out;
    case Wants::Data:
      return data_out;
    case Wants::Program:
      break;
  }
  return slot.command_time + slot.data_time + slot.array_time;
}

Picoseconds FlashNetwork::next_completion(Picoseconds now) const {
  Picoseconds first = kNever;
  for (const SortedRing* ring : {&data_outs_, &arrays_})
    if (!ring->empty()) first = std::min(first, ring->front().at);
  if (!reads_.empty())
    for (std::size_t i = 0; i < reads_.size() && reads_[i].at < first; ++i)
      first = std::min(first, reads_[i].at + least_time(Wants::Data, slots_[reads_[i].index]));
  const auto polled = [&](std::uint32_t index, Picoseconds at) {
    const Slot& slot = slots_[index];
    first = std::min(first, std::max(slot.command->at.array_end, at + least_time(Wants::Status, slot)));
  };
  for (std::size_t i = 0; i < polls_.size(); ++i) polled(polls_[i].index, polls_[i].at);
  Picoseconds granted = next_decision();
  if (granted == kNever) return first;  // everything that waits, waits for a data-out
  granted = std::max(granted, now);
  for (std::size_t w = 0; w < kWants; ++w)
    for (std::size_t i = 0; i < waiting_[w].size(); ++i) {
      const std::uint32_t index = waiting_[w][i].index;
      if (static_cast<Wants>(w) == Wants::Status)
        polled(index, granted);
      else
        first = std::min(first, granted + least_time(static_cast<Wants>(w), slots_[index]));
    }
  return first;
}

/// By channel; within a channel data-outs first.
void FlashNetwork::complete(Picoseconds now, bool report) {
  due_.clear();
  for (SortedRing* ring : {&data_outs_, &arrays_})
    for (; !ring->empty() && ring->front().at <= now; ring->pop_front()) {
      const std::uint32_t index = ring->front().index;
      due_.push_back({std::uint64_t{slots_[index].channel} << 32 | due_.size(), index});
    }
  std::sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) { return a.order < b.order; });
  for (const Due& due : due_) finish(due.index, report);
}

void FlashNetwork::settle(Channel channel, Picoseconds now) {
  decide_before(now);
  if (feeds_[channel.value()] != nullptr) feeds_[channel.value()]->flush(now);
}

void FlashNetwork::power_cut(Picoseconds at) {
  drop_commands(at);
  for (const std::unique_ptr<PhaseFeed>& feed : feeds_)
    if (feed != nullptr) {
      feed->flush(at);
      feed->clear();
    }
  for (Port& port : ports_) {
    port.time = port.last.until(at, port.time);
    port.last = {at, at, at};
    if (port.meter != nullptr) port.meter->truncate(at);
  }
  for (Slot& slot : slots_) {
    for (const std::uint32_t link : slot.path.links)
      if (slot.until > at) link_time_[link] -= slot.until - at;
    slot.path.links.clear();
  }
  std::fill(taken_.begin(), taken_.end(), 0);
  for (SortedRing& ring : waiting_) ring.clear();
  loads_.clear();
  data_outs_.clear();
  std::fill(programs_.begin(), programs_.end(), 0);
  std::fill(overtaken_.begin(), overtaken_.end(), 0);
  changed_ = false;
}

BusTime FlashNetwork::bus_time(Channel channel, Picoseconds now) {
  settle(channel, now);
  const Port& port = ports_[channel.value()];
  return port.last.until(now, port.time);
}

const NetworkUse* FlashNetwork::use(Picoseconds now) {
  decide_before(now);
  use_told_ = use_;
  std::vector<Picoseconds> ahead(link_time_.size());
  for (const Slot& slot : slots_)
    for (const std::uint32_t link : slot.path.links)
      if (slot.until > now) ahead[link] += slot.until - now;
  for (std::size_t i = 0; i < link_time_.size(); ++i) {
    use_told_.link_time += link_time_[i] - ahead[i];
    use_told_.busiest_link = std::max(use_told_.busiest_link, link_time_[i] - ahead[i]);
  }
  return &use_told_;
}

void FlashNetwork::forget_use(Picoseconds now) {
  decide_before(now);
  use_ = {};
  use_.links = finder_->links();
  std::fill(link_time_.begin(), link_time_.end(), 0);
  for (const Slot& slot : slots_)
    for (const std::uint32_t link : slot.path.links)
      if (slot.until > now) link_time_[link] += slot.until - now;
}

PowerFigures FlashNetwork::power_figures(const NandConfig& config) {
  const NetworkConfig& network = config.network;
  const std::uint32_t routers = network.topology == "mesh" ? config.ways : network.topology == "crossbar" ? 1 : 0;
  const double watts = routers * network.router_power;
  const double joules = link_energy_per_byte(config);
  return {.states = {{"idle", watts, kBackground}, {"transfer", watts, kBackground}},
          .operations = {{"byte_hop", joules, "nand.transfer"}},
          .spread_watts = PathFinder::make(network, config.channels, config.ways)->longest() * joules *
                          static_cast<double>(config.data_rate()) / 8};
}

}  // namespace flashloom
