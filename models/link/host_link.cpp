#include "models/link/host_link.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "models/common/timer_queue.hpp"

namespace flashloom {
namespace {

/// A PCIe generation: transfers a second and lane, and coding, `useful` bits out of `coded`.
struct Generation {
  std::uint64_t transfers;
  std::uint64_t useful;
  std::uint64_t coded;
};
// 8b/10b, then 128b/130b; generation 6 has FLITs: 242 of 256 bytes carry TLPs and DLPs, the rest CRC and FEC.
constexpr std::array<Generation, 6> kGenerations = {{{2'500'000'000, 8, 10},
                                                     {5'000'000'000, 8, 10},
                                                     {8'000'000'000, 128, 130},
                                                     {16'000'000'000, 128, 130},
                                                     {32'000'000'000, 128, 130},
                                                     {64'000'000'000, 242, 256}}};

std::uint64_t line_rate(const LinkConfig& config) {
  if (config.kind == "ideal") return 0;
  if (config.max_payload == 0) throw std::invalid_argument("link: max_payload must be at least 1 byte");
  if (config.kind == "sata") {
    if (config.sata_rate < 10) throw std::invalid_argument("link: sata_rate must be above 0");
    return config.sata_rate / 10;  // 8b/10b, 8 bits a byte
  }
  if (config.kind != "pcie") {
    throw std::invalid_argument("link: unknown kind '" + config.kind + "': pcie, sata or ideal");
  }
  if (config.generation < 1 || config.generation > kGenerations.size()) {
    throw std::invalid_argument("link: generation must be 1 to 6, not " + std::to_string(config.generation));
  }
  if (config.lanes < 1 || config.lanes > 32) {
    throw std::invalid_argument("link: lanes must be 1 to 32, not " + std::to_string(config.lanes));
  }
  const Generation& generation = kGenerations[config.generation - 1];
  return generation.transfers * config.lanes * generation.useful / (generation.coded * 8);
}

}  // namespace

HostLink::HostLink(const sc_core::sc_module_name& name, const LinkConfig& config, EnergyLedger& ledger)
    : sc_core::sc_module(name),
      socket("socket"),
      config_(config),
      ideal_(config.kind == "ideal"),
      sleeps_(!ideal_ && config.sleeps()),
      plain_(is_plain()),
      rate_(line_rate(config)) {
  socket.bind(*this);
  if (config.kind == "sata") pipe(Direction::Up).free = &pipe(Direction::Down).own_free;
  if (ideal_) return;
  const std::string component = this->name();
  ledger.add(component, "link", power_figures(config));
  for (const Direction way : {Direction::Down, Direction::Up})
    pipe(way).meter = &ledger.add(component + "." + name_of(way), "link", pipe_figures(config, way));
  if (!sleeps_) return;
  ledger.before_finish([this](Picoseconds end) { settle(end); });
  ledger.before_power_off([this](Picoseconds from, Picoseconds to) { power_off(from, to); });
}

PowerFigures HostLink::power_figures(const LinkConfig& config) { return {{{"idle", config.idle_power, kBackground}}}; }

PowerFigures HostLink::pipe_figures(const LinkConfig& config, Direction direction) {
  const double share = config.powered_lanes() / 2.0;
  const double awake = config.lane_power * share;
  PowerFigures figures = {{{"quiet", awake, kBackground}, {name_of(direction), awake + config.active_power, "link"}}};
  if (config.sleeps()) {
    figures.states.push_back({"l0s", config.l0s_power * share, kBackground, true});
    figures.states.push_back({"l1", config.l1_power * share, kBackground, true});
  }
  if (config.transfer_energy != 0) {
    figures.operations.push_back({"byte", config.transfer_energy, "link"});
    figures.spread_watts = config.transfer_energy * static_cast<double>(line_rate(config));
  }
  return figures;
}

Picoseconds HostLink::l1_entry() const {
  return entry_after(std::max(pipes_[0].idle_from, pipes_[1].idle_from), config_.l1_time);
}

IdleStates::In HostLink::settle(Pipe& way, Picoseconds until) {
  return way.idle.settle(*way.meter, {entry_after(way.idle_from, config_.l0s_time), l1_entry()}, until);
}

void HostLink::settle(Picoseconds now) {
  if (!sleeps_) return;
  for (Pipe& way : pipes_) settle(way, now);
}

// Wakes the link for a transfer that could begin at `start`; returns when it can begin.
Picoseconds HostLink::wake(Pipe& way, Picoseconds start) {
  start = std::max(start, awake_);
  if (l1_entry() < start) {
    settle(start);
    awake_ = start + config_.l1_exit_latency;
    for (Pipe& each : pipes_) {
      each.idle_from = awake_;
      each.idle.used_until(awake_);
    }
    return awake_;
  }
  return settle(way, start) == IdleStates::In::Shallow ? start + config_.l0s_exit_latency : start;
}

void HostLink::power_off(Picoseconds from, Picoseconds to) {
  settle(from);
  for (Pipe& way : pipes_) {
    way.idle_from = std::max(way.idle_from, to);
    way.idle.used_until(to);
  }
}

std::uint64_t HostLink::payload_rate_bytes_per_s() const {
  if (ideal_) return 0;
  const double share = static_cast<double>(config_.max_payload) /
                       (static_cast<double>(config_.max_payload) + static_cast<double>(config_.packet_overhead));
  return static_cast<std::uint64_t>(static_cast<double>(rate_) * share);
}

std::uint64_t HostLink::wire_bytes(std::uint64_t bytes) const {
  const std::uint64_t packets = (bytes + config_.max_payload - 1) / config_.max_payload;
  return bytes + packets * config_.packet_overhead;
}

Picoseconds HostLink::duration(std::uint64_t bytes) const {
  if (ideal_) return 0;
  return transfer_time(wire_bytes(bytes), rate_);
}

// Returns when the bytes, ready at `ready`, have arrived.
Picoseconds HostLink::move(Direction direction, std::uint64_t address, std::uint64_t bytes, Picoseconds ready) {
  Pipe& way = pipe(direction);
  way.bytes += bytes;
  if (!plain_) [[unlikely]]
    return move_slow_path(direction, address, bytes, ready);
  const Picoseconds start = std::max(ready, *way.free);
  return occupy(way, direction, bytes, start) + config_.latency;
}

// Returns when the transfer, which begins at `start`, is over.
inline Picoseconds HostLink::occupy(Pipe& way, Direction direction, std::uint64_t bytes, Picoseconds start) {
  const Picoseconds busy = durations_.get(bytes, [this](std::uint64_t size) { return duration(size); });
  const Picoseconds end = start + busy;
  *way.free = end;
  way.busy += busy;
  way.report(static_cast<std::uint32_t>(direction), bytes, start, end);
  way.meter->busy(1, start, end);
  return end;
}

// A transfer over a link that takes no time, sleeps when idle, rests after each transfer or charges each byte.
[[gnu::noinline]] Picoseconds HostLink::move_slow_path(Direction direction, std::uint64_t address, std::uint64_t bytes,
                                                       Picoseconds ready) {
  if (ideal_) return ready;
  Pipe& way = pipe(direction);
  Picoseconds start = std::max(ready, *way.free);
  if (sleeps_) start = wake(way, start);
  const bool data = data_meter_ != nullptr && address == kHostData;
  const Picoseconds end = budget_ == nullptr ? occupy_with_energy(way, direction, data, bytes, start)
                                             : occupy_in_pieces(way, direction, data, bytes, start);
  if (sleeps_) {
    way.idle_from = end;
    way.idle.used_until(end);
  }
  return end + config_.latency;
}

// As occupy(), with the rest and the energy of the bytes.
Picoseconds HostLink::occupy_with_energy(Pipe& way, Direction direction, bool data, std::uint64_t bytes,
                                         Picoseconds start) {
  const Picoseconds end = occupy(way, direction, bytes, start);
  if (rest_ != 0) *way.free += static_cast<Picoseconds>(rest_ * static_cast<double>(end - start));
  if (config_.transfer_energy != 0) way.meter->count(0, wire_bytes(bytes), start, end);
  if (data) data_meter_->count(0, bytes, start, end);
  return end;
}

// Each piece, of whole packets, begins when the budget has energy for it.
Picoseconds HostLink::occupy_in_pieces(Pipe& way, Direction direction, bool data, std::uint64_t bytes,
                                       Picoseconds start) {
  const std::uint64_t microwatts = microwatts_[data ? 1 : 0];
  if (microwatts == 0) return occupy_with_energy(way, direction, data, bytes, start);
  const Picoseconds packet = duration(config_.max_payload);
  const std::uint64_t packets = std::max<Picoseconds>(1, budget_->longest_piece(microwatts) / packet);
  for (;;) {
    const std::uint64_t piece = std::min(bytes, packets * config_.max_payload);
    start = budget_->book(start, microwatts, duration(piece));
    const Picoseconds end = occupy_with_energy(way, direction, data, piece, start);
    bytes -= piece;
    if (bytes == 0) return end;
    start = *way.free;
  }
}

void HostLink::keep_to(PowerBudget& budget) {
  if (ideal_) return;
  const auto booked = [this](double joules) {
    return static_cast<std::uint64_t>(std::ceil(joules * static_cast<double>(rate_) * 1e6 - 1e-3));
  };
  microwatts_ = {booked(config_.transfer_energy), booked(config_.transfer_energy + data_energy_)};
  budget_ = &budget;
  plain_ = is_plain();
}

void HostLink::drop_all() {
  if (ideal_) return;
  const Picoseconds now = kernel_now();
  settle(now);
  for (Pipe& way : pipes_) {
    *way.free = std::min(*way.free, now);
    way.meter->truncate(now);
    way.busy = way.meter->residency(1);
    way.idle_from = std::min(way.idle_from, now);
    way.idle.cut(now);
  }
  awake_ = 0;
}

Picoseconds HostLink::serve(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds arrival) {
  return move(write ? Direction::Up : Direction::Down, address, bytes, arrival);
}

}  // namespace flashloom
