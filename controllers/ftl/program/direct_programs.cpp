#include "controllers/ftl/program/direct_programs.hpp"

#include "controllers/ftl/program/program_reads.hpp"

namespace flashloom {

DirectPrograms::DirectPrograms(const FtlContext& context, BlockTable& blocks, const OobLayout& layout,
                               ProgramNumbers& numbers, const ProgramObservers& observers, bool possible)
    : ProgramPart(context, blocks, layout), numbers_(numbers), observers_(observers), possible_(possible) {
  if (context.verify) tokens_.resize(context.sectors_per_unit);
  command_.operation = FlashOperation::Program;
  command_.units = 1;
  command_.payload_units = 1;
  command_.bytes = context.geometry.page_bytes;
  read_.operation = FlashOperation::Read;
  read_.units = 1;
  read_.bytes = context.geometry.unit_bytes;
  read_.oob = &word_;
  read_.tokens = context.verify ? tokens_.data() : nullptr;
}

// Sets up the command for the first of the `units` program units allotted last.
inline OnfiCommand& DirectPrograms::aim(BlockNumber block, Origin origin, std::uint32_t units) {
  command_.origin = origin;
  command_.address = blocks_.address(block, blocks_[block].allocated - units);
  command_.sequence = numbers_.last() - units + 1;
  return command_;
}

inline void DirectPrograms::programmed(BlockNumber block, Origin origin, std::uint32_t units) {
  blocks_.programs().submitted(block, origin, units);
  blocks_.programs().done(block, blocks_[block].allocated - units, units);
  blocks_.programs().retire_if_done(block);
  blocks_.waits().events(command_.address.die.value()).durable.wake_all();
}

void DirectPrograms::write(BlockNumber block, Origin origin, OobWord word, SectorToken* tokens) {
  OnfiCommand& command = aim(block, origin, 1);
  command.oob = &word;
  command.tokens = tokens;
  context_.hardware.flash().submit(command);
  if (!observers_.none()) [[unlikely]]
    observers_.programmed(block, command.address.page.value(), blocks_[block].pending->sequence, &word, 1);
  programmed(block, origin, 1);
}

void DirectPrograms::copy(BlockNumber block, Origin origin, BlockNumber from, std::span<const Copied> units) {
  const auto count = static_cast<std::uint32_t>(units.size());
  OnfiCommand& command = aim(block, origin, count);
  read_.origin = origin;
  read_.address = blocks_.address(from, 0);
  command.oob = read_.oob;
  command.tokens = read_.tokens;
  const std::uint32_t first_page = command.address.page.value();
  if (!context_.hardware.flash().copy(read_, command, from * blocks_.units_per_block(), units)) [[unlikely]]
    ProgramReads::another_than_mapped(layout_.unit(units[command.address.page.value() - first_page].word));
  for (std::uint32_t i = 0; !observers_.none() && i < count; ++i)
    observers_.programmed(block, first_page + i, blocks_[block].pending->sequence, &units[i].word, 1);
  programmed(block, origin, count);
}

}  // namespace flashloom
