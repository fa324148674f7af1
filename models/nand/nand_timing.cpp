#include "models/nand/nand_timing.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/common/split_mix.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/page_order.hpp"

namespace flashloom {
namespace {

// A channel commits decisions at an instant only once time has moved on, so array times must be at least one tick.
void check_times(const char* key, const std::vector<Picoseconds>& times) {
  if (times.empty() || std::count(times.begin(), times.end(), Picoseconds{0}) != 0)
    throw std::invalid_argument(std::string("nand.") + key + ": times must be given, and above 0");
}

// Strobes before the data: two transfers a DDR cycle.
Picoseconds warmup_time(const NandConfig& config) {
  return config.warmup_cycles == 0 ? 0 : transfer_time(2 * std::uint64_t{config.warmup_cycles}, config.transfer_rate);
}

}  // namespace

NandOverlap::NandOverlap(const NandConfig& config)
    : page_register(config.page_register),
      cache_read(config.cache_read),
      cache_program(config.cache_program),
      program_suspend(config.program_suspend),
      erase_suspend(config.erase_suspend),
      plane_reads(config.independent_planes),
      cache_busy(config.cache_busy_time),
      move_command(config.command_cycle),
      suspend_command(config.suspend_cycles * config.command_cycle),
      suspend_interval(config.suspend_interval),
      suspend_hold(config.suspend_hold),
      suspend_limit(config.suspend_limit),
      poll_interval(config.ready_detection == "polling" ? config.poll_interval : 0),
      status_read(config.command_cycle + config.status_time + transfer_time(1, config.transfer_rate)),
      suspend_time{0, config.program_suspend_time, config.erase_suspend_time},
      resume_time{0, config.program_resume_time, config.erase_resume_time} {}

NandTiming::NandTiming(const NandConfig& config, const NandGeometry& geometry, std::uint64_t seed)
    : command_time_{config.read_cycles * config.command_cycle,
                    geometry.program_pages *
                        (config.program_cycles * config.command_cycle + config.data_in_setup + warmup_time(config)),
                    std::uint64_t{config.erase_cycles} * geometry.planes_together * config.command_cycle},
      data_out_setup_(config.data_out_setup + warmup_time(config)),
      overlap_(config),
      way_switch_time_(config.way_switch_time),
      ways_(config.ways),
      parts_(config.partial_programs > 1),
      erase_time_(config.erase_time),
      retry_time_(config.errors.retry_time),
      slc_blocks_(geometry.slc_blocks),
      slc_end_(geometry.slc_dynamic == 0 ? geometry.slc_blocks : geometry.blocks),
      special_end_(config.variation.times() || config.open_read_factor != 1 ? ~std::uint32_t{0} : slc_end_),
      slc_array_time_{config.slc_read_time, config.pages_per_program * config.slc_program_time,
                      config.slc_erase_time != 0 ? config.slc_erase_time : config.erase_time},
      varied_(config.variation.times() ? std::make_shared<const TimeVariation>(config, geometry) : nullptr),
      open_factor_(config.open_read_factor),
      by_place_(varied_ != nullptr || open_factor_ != 1),
      spread_(config.program_time_spread),
      seed_(seed),
      bits_per_second_(config.data_rate()),
      unit_bytes_(geometry.unit_bytes),
      page_bytes_(config.page_size),
      spare_bytes_(config.transfer_spare ? config.spare_size : 0),
      program_bytes_(geometry.program_pages * geometry.page_bytes) {
  check_times("read_time", config.read_time);
  check_times("program_time", config.program_time);
  check_times("erase_time", {config.erase_time});
  for (std::uint32_t units = 0; units <= geometry.units_per_program(); ++units)
    data_time_.push_back(compute_data_time(units * unit_bytes_.value()));
  const bool one_shot = config.pages_per_program > 1;
  // A list with one value holds for all page types.
  const std::size_t types = std::max(config.read_time.size(), config.program_time.size());
  const PageOrder order(config.pages, static_cast<std::uint32_t>(types), config.page_order == "shadow");
  for (std::uint32_t page = 0; page < geometry.pages; ++page) {
    const std::uint32_t type = order.of(geometry.page_in_block(Page{page})).type;
    read_time_.push_back(config.read_time[type % config.read_time.size()]);
    Picoseconds time = one_shot ? config.program_time.back() : config.program_time[type % config.program_time.size()];
    if (geometry.two_passes) {
      const Picoseconds second = time;
      time = config.first_pass();
      if (page >= geometry.program_pages) time += second;
      if (page + geometry.program_pages >= geometry.pages) time += second;
    }
    program_time_.push_back(time);
    program_bytes_of_.push_back(geometry.program_bytes(Page{page}, false));
  }
}

Picoseconds longest_program_time(const NandConfig& config) {
  const Picoseconds longest = *std::max_element(config.program_time.begin(), config.program_time.end());
  return config.program_passes == 2 ? config.first_pass() + 2 * longest : longest;
}

Picoseconds NandTiming::compute_data_time(std::uint32_t bytes) const {
  return transfer_time(bus_bytes(bytes) * 8, bits_per_second_);
}

// All pages read together are in this mode (NandGeometry::together). A program unit keeps its size: its pages on one
// plane are programmed one after the other.
Picoseconds NandTiming::slc_time(const OnfiCommand& command) const {
  const Picoseconds time = slc_array_time_[static_cast<std::size_t>(command.operation)];
  if (command.operation == FlashOperation::Read) return time + (command.retry != 0 ? retry_time_ : 0);
  if (command.operation == FlashOperation::Program && spread_ != 0) return spread_program_time(command, time);
  return time;
}

Picoseconds NandTiming::time_of_place(const OnfiCommand& command) const {
  const auto times = [](Picoseconds time, double factor) {
    return std::max<Picoseconds>(1, static_cast<Picoseconds>(std::llround(static_cast<double>(time) * factor)));
  };
  const bool slc = in_slc_mode(command);
  const FlashAddress& address = command.address;
  switch (command.operation) {
    case FlashOperation::Read: {
      Picoseconds time = 0;
      for (const OnfiCommand* each = &command; each != nullptr; each = each->together) {
        const Picoseconds mean = slc ? slc_array_time_[0] : read_time(each->address.page);
        const double factor = varied_ != nullptr ? varied_->read.at(each->address, slc) : 1;
        time = std::max(time, times(mean, each->open ? factor * open_factor_ : factor));
      }
      return time + (command.retry != 0 ? retry_time_ : 0);
    }
    case FlashOperation::Program: {
      const Picoseconds mean = slc ? slc_array_time_[1] : program_time(address.page);
      const Picoseconds time = varied_ != nullptr ? times(mean, varied_->program.slowest(address, slc)) : mean;
      return spread_ != 0 ? spread_program_time(command, time) : time;
    }
    case FlashOperation::Erase:
      break;
  }
  const Picoseconds mean = slc ? slc_array_time_[2] : erase_time_;
  return varied_ != nullptr ? times(mean, varied_->erase.slowest_block(address.die, address.block)) : mean;
}

// Incremental step pulse programming ends when the slowest cell is verified, so that the number of pulses differs from
// program to program (Suh et al., "A 3.3 V 32 Mb NAND flash memory with incremental step pulse programming scheme",
// IEEE JSSC 30(11), 1995). The uniform distribution is an assumption. Drawn from the address and the number that
// firmware gives each of its programs, which tells the P/E cycle.
Picoseconds NandTiming::spread_program_time(const OnfiCommand& command, Picoseconds program_time) const {
  const std::uint64_t where = (std::uint64_t{command.address.die.value()} << 48) ^
                              (std::uint64_t{command.address.block.value()} << 20) ^ command.address.page.value();
  const double u = static_cast<double>(split_mix(split_mix(seed_, where), command.sequence) >> 11) * 0x1p-53;
  const auto mean = static_cast<double>(program_time);
  return std::max<Picoseconds>(1, static_cast<Picoseconds>(mean * (1 + spread_ * (2 * u - 1))));
}

}  // namespace flashloom
