#include "controllers/ftl/program/direct_programs.hpp"

#include "controllers/ftl/program/program_reads.hpp"

namespace flashloom {

DirectPrograms::DirectPrograms(const FtlContext& context, BlockTable& blocks, const OobLayout& layout,
                               ProgramNumbers& numbers, const ProgramObservers& observers, bool possible)
    : ProgramPart(context, blocks, layout),
      numbers_(numbers),
      observers_(observers),
      possible_(possible),
      words_(units_per_program_) {
  if (context.verify) tokens_.resize(context.sectors_per_unit);
  command_.operation = FlashOperation::Program;
  command_.units = static_cast<std::uint16_t>(units_per_program_);
  command_.payload_units = units_per_program_;
  command_.bytes = context.geometry.program_pages * context.geometry.page_bytes;
  read_.operation = FlashOperation::Read;
  read_.units = 1;
  read_.bytes = context.geometry.unit_bytes;
  read_.oob = words_.data();
  read_.tokens = context.verify ? tokens_.data() : nullptr;
}

// Sets up the command for the first of the `programs` program units allotted last.
inline OnfiCommand& DirectPrograms::aim(BlockNumber block, Origin origin, std::uint32_t programs) {
  command_.origin = origin;
  command_.address = blocks_.address(block, blocks_[block].allocated - programs * context_.geometry.program_pages);
  command_.sequence = numbers_.last() - programs + 1;
  return command_;
}

inline void DirectPrograms::programmed(BlockNumber block, Origin origin, std::uint32_t programs) {
  blocks_.programs().submitted(block, origin, programs);
  blocks_.programs().done(block, blocks_[block].allocated - programs * context_.geometry.program_pages, programs);
  blocks_.programs().retire_if_done(block);
  blocks_.waits().events(command_.address.die.value()).durable.wake_all();
}

void DirectPrograms::write(BlockNumber block, Origin origin, const OobWord* words, SectorToken* tokens) {
  OnfiCommand& command = aim(block, origin, 1);
  std::copy_n(words, units_per_program_, words_.begin());
  command.oob = words_.data();
  command.tokens = tokens;
  context_.hardware.flash().submit(command);
  if (!observers_.none()) [[unlikely]]
    observers_.programmed(block, command.address.page.value(), blocks_[block].pending->sequence, words,
                          units_per_program_);
  programmed(block, origin, 1);
}

void DirectPrograms::copy(BlockNumber block, Origin origin, BlockNumber from, std::span<const Copied> units) {
  OnfiCommand& command = aim(block, origin, programs_of(units));
  read_.origin = origin;
  read_.address = blocks_.address(from, 0);
  command.oob = read_.oob;
  command.tokens = read_.tokens;
  const std::uint32_t first_page = command.address.page.value();
  if (!context_.hardware.flash().copy(read_, command, from * blocks_.units_per_block(), units)) [[unlikely]]
    ProgramReads::another_than_mapped(layout_.unit(units.front().word));
  for (std::size_t i = 0; !observers_.none() && i < units.size(); i += units_per_program_) {
    for (std::uint32_t unit = 0; unit < units_per_program_; ++unit) words_[unit] = units[i + unit].word;
    observers_.programmed(block, first_page + static_cast<std::uint32_t>(i / units_per_page_),
                          blocks_[block].pending->sequence, words_.data(), units_per_program_);
  }
  programmed(block, origin, programs_of(units));
}

}  // namespace flashloom
