// Layout of an F2FS on the device, and numbering of its logical blocks: data of files, then blocks of directory
// entries, then node blocks. Constants from fs/f2fs and include/linux/f2fs_fs.h.
#pragma once

#include <cstdint>

#include "workloads/generators/file_requests.hpp"

namespace flashloom {

struct F2fsArea {
  static constexpr std::uint64_t kBlock = 4096;
  static constexpr std::uint32_t kInodeAddresses = 923;  ///< DEF_ADDRS_PER_INODE
  static constexpr std::uint32_t kNodeAddresses = 1018;  ///< DEF_ADDRS_PER_BLOCK, and NIDS_PER_BLOCK
  static constexpr std::uint32_t kFilesPerDentry = 214;  ///< NR_DENTRY_IN_BLOCK
  static constexpr std::uint32_t kNatEntries = 455;      ///< NAT_ENTRY_PER_BLOCK
  static constexpr std::uint32_t kSitEntries = 55;       ///< SIT_ENTRY_PER_BLOCK
  static constexpr std::uint32_t kNatJournal = 38;       ///< NAT_JOURNAL_ENTRIES
  static constexpr std::uint32_t kSitJournal = 6;        ///< SIT_JOURNAL_ENTRIES
  static constexpr std::uint32_t kPackBlocks = 5;        ///< of a checkpoint: head, summaries of three data logs, foot
  static constexpr std::uint32_t kSegmentBlocks = 512;

  std::uint32_t file_blocks = 0;
  std::uint32_t section_blocks = 0;
  std::uint32_t sections = 0;
  std::uint32_t reserved = 0;  ///< sections kept for the cleaner
  std::uint32_t files = 0;
  std::uint32_t dentries = 0;
  std::uint32_t direct_nodes = 0;    ///< per file, including its inode
  std::uint32_t indirect_nodes = 0;  ///< per file
  bool has_metadata = true;          ///< checkpoints and tables lie on this device
  SlotShape slots;                   ///< of sections, from main_begin on
  std::uint64_t main_begin = 0;      ///< bytes

  /// Sets all members but file_blocks, which the caller has set. Throws GeneratorError.
  void lay_out(const DeviceSpace& space, std::uint64_t section_bytes, double overprovision, double fill);

  std::uint32_t segment_blocks() const { return section_blocks < kSegmentBlocks ? section_blocks : kSegmentBlocks; }
  std::uint32_t nodes_per_file() const { return direct_nodes + indirect_nodes; }
  std::uint32_t data(std::uint32_t file, std::uint32_t block) const { return file * file_blocks + block; }
  std::uint32_t dentry_begin() const { return files * file_blocks; }
  std::uint32_t node_begin() const { return dentry_begin() + dentries; }
  std::uint32_t logical_blocks() const { return node_begin() + dentries + files * nodes_per_file(); }

  std::uint32_t dentry_of(std::uint32_t file) const { return dentry_begin() + file / kFilesPerDentry; }
  std::uint32_t directory_node(std::uint32_t dentry) const { return node_begin() + dentry - dentry_begin(); }
  std::uint32_t first_node(std::uint32_t file) const { return node_begin() + dentries + file * nodes_per_file(); }
  std::uint32_t node_of(std::uint32_t file, std::uint32_t block) const {
    return first_node(file) + (block < kInodeAddresses ? 0 : 1 + (block - kInodeAddresses) / kNodeAddresses);
  }
  std::uint32_t node_of_data(std::uint32_t block) const { return node_of(block / file_blocks, block % file_blocks); }
  std::uint32_t indirect_node(std::uint32_t file, std::uint32_t number) const {
    return first_node(file) + direct_nodes + number;
  }
  bool is_node(std::uint32_t block) const { return block >= node_begin(); }
  bool is_dentry(std::uint32_t block) const { return block >= dentry_begin() && block < node_begin(); }
  bool is_directory(std::uint32_t node) const { return node < node_begin() + dentries; }
  bool is_indirect(std::uint32_t node) const {
    return !is_directory(node) && (node - node_begin() - dentries) % nodes_per_file() >= direct_nodes;
  }

  std::uint64_t offset_of(std::uint32_t place) const {
    return main_begin + place / section_blocks * slots.stride + place % section_blocks * kBlock;
  }
  std::uint32_t nat_block(std::uint32_t node) const { return (node - node_begin()) / kNatEntries; }
  std::uint32_t segments() const { return sections * (section_blocks / segment_blocks()); }
  std::uint32_t sit_block(std::uint32_t segment) const { return segment / kSitEntries; }
  std::uint64_t pack_offset(std::uint64_t version) const { return version % 2 * kPackBlocks * kBlock; }
  std::uint64_t nat_offset(std::uint32_t block, std::uint64_t version) const {
    return (2 * kPackBlocks + version % 2 * nat_blocks() + block) * kBlock;
  }
  std::uint64_t sit_offset(std::uint32_t block, std::uint64_t version) const {
    return (2 * kPackBlocks + 2 * nat_blocks() + version % 2 * sit_blocks() + block) * kBlock;
  }
  std::uint64_t summary_offset(std::uint32_t segment) const {
    return (2 * kPackBlocks + 2 * nat_blocks() + 2 * sit_blocks() + segment) * kBlock;
  }
  std::uint64_t nat_blocks() const { return (logical_blocks() - node_begin()) / kNatEntries + 1; }
  std::uint64_t sit_blocks() const { return sit_block(segments()) + 1; }
};

}  // namespace flashloom
