// The programmer's paths without waiting, taken mostly on the instant clock.
#include <stdexcept>
#include <string>

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

bool Programmer::carry_out_now(ProgramJob& job) {
  if (!context_.hardware.flash().synchronous() || job.completing != 0) return false;
  if (!job.failures.empty() || before(job) != nullptr) return false;
  if (job.copied != 0) {
    if (!can_gather_now(job)) return false;
    if (!can_copy_back(job)) {
      Gathering reads;
      hand_over_reads(job, reads);
      take_gathered(job);
    }
  }
  program(job);
  return true;
}

// All sources of the job's copies are on flash.
bool Programmer::can_gather_now(const ProgramJob& job) const {
  for (std::uint32_t index = 0; index < job.filled; ++index)
    if (copies(job, index) && !blocks_.on_flash(job.source[index])) return false;
  return true;
}

void Programmer::prepare_direct() {
  direct_.possible = units_per_program_ == 1 && !exposes() && !context_.geometry.copyback && torn_writes_ == nullptr &&
                     !blocks_.failures().possible();
  if (context_.verify) direct_.tokens.resize(context_.sectors_per_unit);
  OnfiCommand& command = direct_.command;
  command.operation = FlashOperation::Program;
  command.units = 1;
  command.payload_units = 1;
  command.bytes = context_.geometry.page_bytes;
  OnfiCommand& read = direct_.read;
  read.operation = FlashOperation::Read;
  read.units = 1;
  read.bytes = unit_bytes_;
  read.oob = &direct_.word;
  read.tokens = context_.verify ? direct_.tokens.data() : nullptr;
}

void Programmer::too_many_versions() {
  throw std::runtime_error(
      "the device has been written more often than the version numbers in its spare areas can count");
}

// Sets up the command for the first of the `units` program units allotted last.
inline OnfiCommand& Programmer::aim(BlockNumber block, Origin origin, std::uint32_t units) {
  OnfiCommand& command = direct_.command;
  command.origin = origin;
  command.address = blocks_.address(block, blocks_[block].allocated - units);
  command.sequence = sequence_ - units + 1;
  return command;
}

inline void Programmer::programmed_directly(BlockNumber block, Origin origin, std::uint32_t units) {
  blocks_.programs().submitted(block, origin, units);
  blocks_.programs().done(block, blocks_[block].allocated - units, units);
  blocks_.programs().retire_if_done(block);
  blocks_.waits().events(direct_.command.address.die.value()).durable.wake_all();
}

void Programmer::write_allotted(BlockNumber block, Origin origin, OobWord word, SectorToken* tokens) {
  OnfiCommand& command = aim(block, origin, 1);
  command.oob = &word;
  command.tokens = tokens;
  context_.hardware.flash().submit(command);
  if (observer_ != nullptr) [[unlikely]]
    observer_->programmed(block, command.address.page.value(), blocks_[block].pending->sequence, &word, 1);
  programmed_directly(block, origin, 1);
}

const char* Programmer::why_no_rule() const {
  if (!context_.hardware.flash().synchronous()) return "flash commands have to be waited for, or may be cut off";
  if (stripes_ != nullptr) return "dies have parity (ftl.rain)";
  if (exposes()) return "pages of a word line wait for each other";
  if (packing_ != nullptr) return "data are compressed";
  if (torn_writes_ != nullptr) return "the drive tears writes";
  if (observer_ != nullptr) return "each program goes into a journal (ftl.recovery)";
  return nullptr;
}

void Programmer::program_by_rule(ProgramJob& job, std::uint32_t number) {
  const BlockNumber block = job.block;
  job.command.payload_units = units_per_program_;
  job.command.unused_units = job.command.copied_units = 0;
  context_.hardware.flash().program_by_rule(job.command, number);
  blocks_.programs().submitted(block, job.command.origin);
  blocks_.programs().done(block, job.first_page);
  release(job);
  blocks_.programs().retire_if_done(block);
  blocks_.waits().events(die_of(job)).durable.wake_all();
}

void Programmer::copy_allotted(BlockNumber block, Origin origin, BlockNumber from, std::span<const Copied> units) {
  const auto count = static_cast<std::uint32_t>(units.size());
  OnfiCommand& command = aim(block, origin, count);
  OnfiCommand& read = direct_.read;
  read.origin = origin;
  read.address = blocks_.address(from, 0);
  command.oob = read.oob;
  command.tokens = read.tokens;
  const std::uint32_t first_page = command.address.page.value();
  if (!context_.hardware.flash().copy(read, command, from * blocks_.units_per_block(), units)) [[unlikely]]
    another_than_mapped(units[command.address.page.value() - first_page].word);
  for (std::uint32_t i = 0; observer_ != nullptr && i < count; ++i)
    observer_->programmed(block, first_page + i, blocks_[block].pending->sequence, &units[i].word, 1);
  programmed_directly(block, origin, count);
}

void Programmer::another_than_mapped(OobWord word) const {
  throw std::logic_error("flash returned another unit than the map says, unit " + std::to_string(layout_.unit(word)));
}

}  // namespace flashloom
