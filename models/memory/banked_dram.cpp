#include "models/memory/banked_dram.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/common/timer_queue.hpp"
#include "models/memory/standby_power.hpp"

namespace flashloom {
namespace {

enum Operation : std::uint32_t { kActivate, kRead, kWrite, kOpen };

// Checks the numbers that the constructor divides by, before members use them.
const DramConfig& checked(const DramConfig& config) {
  const DramTiming& timing = config.timing;
  if (timing.banks == 0) throw std::invalid_argument("dram: banks must be at least 1");
  if (timing.burst == 0 || timing.row_size == 0 || timing.row_size % timing.burst != 0)
    throw std::invalid_argument("dram: row_size must be a multiple of burst");
  if (config.bandwidth == 0) throw std::invalid_argument("dram: a banked DRAM needs a bandwidth");
  return config;
}

}  // namespace

BankedDram::BankedDram(const sc_core::sc_module_name& name, const DramConfig& config, EnergyLedger& ledger)
    : MemoryTarget(name, checked(config), "dram"),
      timing_(config.timing),
      bandwidth_(config.bandwidth),
      controller_latency_(config.controller_latency),
      refresh_interval_(config.refresh_interval),
      refresh_time_(config.refresh_time),
      burst_(config.timing.burst),
      row_(config.timing.row_size / config.timing.burst),
      banks_(config.timing.banks),
      bank_(config.timing.banks),
      next_refresh_(config.refresh_interval == 0 ? kNever : config.refresh_interval),
      sleep_(config) {
  meter_ = &ledger.add(this->name(), "dram", power_figures(config));
  ledger.before_finish([this](Picoseconds end) { finish(end); });
  if (!sleep_.on()) return;
  ledger.before_power_off([this](Picoseconds from, Picoseconds to) {
    sleep_until(from);
    sleep_.off_until(to);
  });
}

PowerFigures BankedDram::power_figures(const DramConfig& config) {
  // "open" counts picoseconds: each costs open_power x 1 ps.
  return {standby_states(config),
          {{"activate", config.activate_energy, "dram.activate"},
           {"read", config.read_energy, "dram.read"},
           {"write", config.write_energy, "dram.write"},
           {"open", config.open_power * 1e-12, "dram.open"}}};
}

BankedDram::Rows BankedDram::rows() const {
  return {rows_.hits - before_.hits,
          rows_.misses - before_.misses,
          rows_.conflicts - before_.conflicts,
          rows_.refreshes - before_.refreshes,
          rows_.refresh_waits - before_.refresh_waits,
          rows_.refresh_wait_time - before_.refresh_wait_time};
}

void BankedDram::reset_counters() {
  MemoryTarget::reset_counters();
  before_ = rows_;
}

Picoseconds BankedDram::serve(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds arrival) {
  if (!holds(address, bytes)) [[unlikely]]
    return kNever;
  Picoseconds ready = arrival + controller_latency_;
  count(write, bytes);
  if (bytes == 0) return ready;
  if (sleep_.on()) [[unlikely]]
    ready += sleep_.exit(sleep_until(ready));
  std::uint64_t burst = burst_.quotient(address);
  std::uint64_t left = burst_.quotient(address + bytes - 1) - burst + 1;
  Picoseconds first = 0;
  Picoseconds end = 0;
  while (left != 0) {
    const std::uint64_t row = row_.quotient(burst);
    const std::uint64_t rest_of_row = (row + 1) * row_.value() - burst;
    const auto bursts = static_cast<std::uint32_t>(std::min(left, rest_of_row));
    end = access(row, bursts, write, ready);
    // The next row may be opened as soon as the columns of this one begin.
    ready = end - data_time(bursts) - (write ? timing_.column_write : timing_.column_read);
    if (first == 0) first = ready;
    burst += bursts;
    left -= bursts;
  }
  if (sleep_.on()) [[unlikely]] {
    sleep_.used_until(end);
    asleep_from_ = 0;
  }
  report(write, bytes, first, end);
  return end;
}

// Issues `bursts` column accesses of one row, not before `ready`; returns the end of their data.
Picoseconds BankedDram::access(std::uint64_t row_number, std::uint32_t bursts, bool write, Picoseconds ready) {
  const Picoseconds latency = write ? timing_.column_write : timing_.column_read;
  const Picoseconds data = data_time(bursts);
  const Picoseconds bus_ready = bus_free_ > latency ? bus_free_ - latency : 0;
  const Picoseconds earliest = std::max(ready, bus_ready);
  if (next_refresh_ <= earliest) [[unlikely]]
    refresh(earliest);
  if (refreshed_ > earliest) [[unlikely]] {
    ++rows_.refresh_waits;
    rows_.refresh_wait_time += refreshed_ - earliest;
    ready = std::max(ready, refreshed_);
  }
  Bank& bank = bank_[row_number - banks_.quotient(row_number) * banks_.value()];
  const std::uint64_t row = banks_.quotient(row_number);
  if (bank.row == row) {
    ++rows_.hits;
  } else {
    if (bank.row == kNoRow) {
      ++rows_.misses;
      activate(bank, ready);
    } else {
      ++rows_.conflicts;
      activate(bank, std::max(ready, bank.precharge_ready) + timing_.precharge);
    }
    bank.row = row;
  }
  rows_.hits += bursts - 1;

  Picoseconds column = std::max({ready, bank.column_ready, bus_ready});
  if (!write) column = std::max(column, write_end_ + timing_.write_read);
  const Picoseconds end = column + latency + data;
  bus_free_ = end;
  meter_->count(write ? kWrite : kRead, std::uint64_t{bursts} * timing_.burst, end - data, end);
  if (write) {
    write_end_ = end;
    bank.precharge_ready = std::max(bank.precharge_ready, end + timing_.write_recovery);
  } else {
    const Picoseconds last_column = end - latency - data_time(1);
    bank.precharge_ready = std::max(bank.precharge_ready, last_column + timing_.read_precharge);
  }
  return end;
}

// Activates a row of a bank that is closed from `from` on.
void BankedDram::activate(Bank& bank, Picoseconds from) {
  const Picoseconds at = std::max({from, row_row_ready_, activates_[oldest_activate_]});
  row_row_ready_ = at + timing_.row_row;
  activates_[oldest_activate_] = at + timing_.four_activates;
  oldest_activate_ = (oldest_activate_ + 1) % activates_.size();
  bank.column_ready = at + timing_.row_column;
  bank.precharge_ready = at + timing_.row_active;
  meter_->count(kActivate, 1, at, bank.precharge_ready);
  if (!rows_open_) {
    rows_open_ = true;
    open_since_ = at;
  }
}

void BankedDram::close_rows(Picoseconds at) {
  if (!rows_open_) return;
  rows_open_ = false;
  if (at > open_since_) meter_->count(kOpen, at - open_since_, open_since_, at);
  for (Bank& bank : bank_) bank.row = kNoRow;
}

// Carries out the refreshes that are due by `until`.
void BankedDram::refresh(Picoseconds until) {
  while (next_refresh_ <= until) {
    Picoseconds start = std::max(next_refresh_, bus_free_);
    if (rows_open_) {
      for (const Bank& bank : bank_)
        if (bank.row != kNoRow) start = std::max(start, bank.precharge_ready);
      close_rows(start);
      start += timing_.precharge;
    }
    refreshed_ = start + refresh_time_;
    ++rows_.refreshes;
    next_refresh_ += refresh_interval_;
    if (next_refresh_ > until) return;
    // Refreshes of an idle memory were on time: only the last one can still be under way.
    const Picoseconds skipped = (until - next_refresh_) / refresh_interval_;
    rows_.refreshes += skipped;
    next_refresh_ += skipped * refresh_interval_;
  }
}

// For a memory idle since the last data: books its states; returns the state right before `until`.
IdleStates::In BankedDram::sleep_until(Picoseconds until) {
  const IdleStates::Entries idle = sleep_.entries(bus_free_);
  const Picoseconds first = std::min(idle.shallow, idle.deep);
  if (first >= until) return IdleStates::In::Idle;
  if (asleep_from_ < first) {  // first call in this idle time
    refresh(first);
    Picoseconds entry = std::max(first, refreshed_);
    if (rows_open_) {
      for (const Bank& bank : bank_)
        if (bank.row != kNoRow) entry = std::max(entry, bank.precharge_ready);
      entry += timing_.precharge;
    }
    if (entry >= until) return IdleStates::In::Idle;
    if (rows_open_) close_rows(entry - timing_.precharge);
    asleep_from_ = entry;
  }
  const IdleStates::Entries entries = sleep_.entries(bus_free_, asleep_from_);
  const IdleStates::In state = sleep_.settle(*meter_, entries, until);
  if (state == IdleStates::In::Deep) {
    refresh(entries.deep);
    if (next_refresh_ <= until) next_refresh_ = (until / refresh_interval_ + 1) * refresh_interval_;
  }
  return state;
}

void BankedDram::settle(Picoseconds now) {
  if (sleep_.on()) sleep_until(now);
}

void BankedDram::finish(Picoseconds end) {
  settle(end);
  refresh(end);
  close_rows(end);
}

void BankedDram::drop_all(Picoseconds off_time) {
  const Picoseconds now = kernel_now();
  settle(now);
  refresh(now);
  close_rows(now);
  for (Bank& bank : bank_) bank = {};
  bus_free_ = std::min(bus_free_, now);
  if (sleep_.on()) {
    meter_->truncate(now);
    sleep_.cut(now);
  }
  asleep_from_ = 0;
  write_end_ = row_row_ready_ = refreshed_ = 0;
  activates_.fill(0);
  // Nothing is refreshed while the power is off.
  if (refresh_interval_ != 0) next_refresh_ = ((now + off_time) / refresh_interval_ + 1) * refresh_interval_;
}

}  // namespace flashloom
