#include "workloads/generators/f2fs_area.hpp"

#include <cmath>
#include <string>

#include "workloads/generators/generator.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kMostBlocks = 1U << 31U;  // block numbers have 32 bits
constexpr std::uint32_t kOpenSections = 6;        // one per log
constexpr std::uint32_t kLeastFree = 2;           // in addition to the open and reserved sections

}  // namespace

void F2fsArea::lay_out(const DeviceSpace& space, std::uint64_t section_bytes, double overprovision, double fill) {
  const std::uint64_t capacity = space.capacity;
  if (capacity / kBlock >= kMostBlocks) throw GeneratorError("section", "the region exceeds 8 TiB");
  slots = slots_over(space, section_bytes);
  has_metadata = !slots.zones;
  section_blocks = static_cast<std::uint32_t>(slots.capacity / kBlock);
  if (section_blocks == 0) throw GeneratorError("section", "a zone holds no block of 4 KiB");
  if (has_metadata && section_blocks % segment_blocks() != 0)
    throw GeneratorError("section", "is no multiple of a segment, 2 MiB");
  const std::uint32_t beyond = file_blocks > kInodeAddresses ? file_blocks - kInodeAddresses : 0;
  const std::uint32_t direct = (beyond + kNodeAddresses - 1) / kNodeAddresses;
  direct_nodes = 1 + direct;
  indirect_nodes = direct > 2 ? (direct - 2 + kNodeAddresses - 1) / kNodeAddresses : 0;
  reserved = static_cast<std::uint32_t>(std::ceil(1 / overprovision)) + 1 + kOpenSections;
  // A first estimate counts the whole region as sections, to size the tables before them; the second counts the
  // sections that the tables leave.
  sections = static_cast<std::uint32_t>(capacity / slots.stride);
  const auto fill_files = [&] {
    files = static_cast<std::uint32_t>(fill * sections * section_blocks / file_blocks);
    dentries = (files + kFilesPerDentry - 1) / kFilesPerDentry;
  };
  fill_files();
  if (has_metadata) main_begin = round_up(summary_offset(segments()), section_bytes);
  sections = main_begin < capacity ? static_cast<std::uint32_t>((capacity - main_begin) / slots.stride) : 0;
  fill_files();
  if (files == 0) throw GeneratorError("fill", "leaves room for no file");
  const std::uint64_t kept = reserved + kOpenSections + kLeastFree;
  if (sections <= kept || logical_blocks() > (sections - kept) * std::uint64_t{section_blocks})
    throw GeneratorError("fill", std::to_string(logical_blocks()) + " blocks leave too little room in " +
                                     std::to_string(sections) + " sections, of which " + std::to_string(kept) +
                                     " are open, free or for the cleaner");
}

}  // namespace flashloom
