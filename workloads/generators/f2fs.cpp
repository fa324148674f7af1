// f2fs: the writes of the log-structured file system F2FS (Lee et al., "F2FS: A New File System for Flash Storage",
// FAST 2015; fs/f2fs/{segment,gc,checkpoint,node}.c of Linux 6, mount option mode=lfs):
//
// * Six logs, for hot, warm and cold data and nodes, each fill one section after another. Data of files are warm; data
//   of cold files (extension list) and data that the cleaner moves are cold; directory blocks are hot. A file's inode
//   and direct nodes (923 and 1018 block addresses) are warm, nodes of directories hot, indirect nodes cold.
// * An update goes to the end of a log. The next fsync or checkpoint also writes each node block that points to updated
//   blocks. The chain of updates ends there, because the node address table (NAT) locates the nodes.
// * A checkpoint writes dirty directories and nodes, then blocks of the NAT and of the segment information table (SIT),
//   in place and alternating between two copies, then its pack. After it sections without valid blocks are free, and
//   are trimmed. Each full segment gets a summary block (SSA).
// * The cleaner moves the valid blocks of a section. It chooses the section greedily when free sections run short
//   (foreground), by cost and benefit in the background: after each `background` bytes of updates, not in idle time.
//
// Not modelled: updates in place and threaded logging into holes (SSR), which mode=lfs, the mode for zoned devices,
// does not use; names, attributes, quotas; reads of files. On a zoned device a section is a zone, freed by a reset, and
// NAT, SIT, SSA and checkpoints are not sent, because F2FS requires another device for them.
#include <algorithm>
#include <optional>
#include <set>

#include "workloads/distributions.hpp"
#include "workloads/generators/f2fs_area.hpp"
#include "workloads/generators/file_requests.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/generators/operation_source.hpp"
#include "workloads/generators/placement_mark.hpp"
#include "workloads/generators/section_logs.hpp"
#include "workloads/permutation.hpp"

namespace flashloom::generator::f2fs {
namespace {

constexpr std::uint64_t kPage = 4096;

/// Classes for placement: F2FS's logs (CURSEG_HOT_DATA and so on), then the metadata written in place.
enum Log : std::uint16_t { HotData, WarmData, ColdData, HotNode, WarmNode, ColdNode, Metadata };
constexpr std::uint32_t kLogs = 6;

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  return with(
      {bytes_parameter("section", 2 << 20, 4096, "what is cleaned and freed at a time: a segment of 2 MiB, or several"),
       bytes_parameter("file", 1 << 20, 4096, "size of a file"),
       {.name = "fill",
        .default_value = 0.75,
        .unit = Ratio,
        .minimum = 0.001,
        .maximum = 0.99,
        .help = "share of the sections that files take"},
       bytes_parameter("update", 4 << 10, 4096, "bytes of one update, at a random place of a file"),
       share_parameter("replace", 0.0,
                       "share of the operations that delete a file and write it anew, in place of an update"),
       share_parameter("cold", 0.0, "share of the files that are cold, by their names"),
       {.name = "distribution",
        .default_value = std::string("uniform"),
        .choices = {"uniform", "zipf"},
        .help = "which file an operation is of"},
       {.name = "theta", .default_value = 0.9, .minimum = 0, .maximum = 20, .help = "zipf: skew"},
       share_parameter("fsync", 0.1, "share of the operations that an fsync follows"),
       bytes_parameter("checkpoint", 64 << 20, 4096, "a checkpoint after so many bytes of updates (F2FS: after 60 s)"),
       {.name = "overprovision",
        .default_value = 0.05,
        .unit = Ratio,
        .minimum = 0.01,
        .maximum = 0.5,
        .help = "as mkfs.f2fs -o: 1 / overprovision + 7 sections are kept for the cleaner"},
       {.name = "background",
        .default_value = std::int64_t{0},
        .unit = Bytes,
        .minimum = 0,
        .maximum = 0x1p40,
        .help = "a section is cleaned in the background after so many bytes of updates; 0: none"},
       bytes_parameter("write_size", 512 << 10, 4096, "largest request"),
       {.name = "load", .default_value = true, .help = "files are written once beforehand, in order"},
       PlacementMark::parameter()},
      RequestBudget::parameters());
}

class F2fsSource final : public OperationSource {
 public:
  F2fsSource(const GeneratorValues& values, const GeneratorContext& context)
      : OperationSource(values, context),
        mark_(values, context),
        random_(derived_seed(context.seed, 0)),
        area_(area_of(values, context)),
        logs_(area_.sections, area_.section_blocks, kLogs, area_.logical_blocks()),
        rank_(area_.files, values.real("theta")),
        scatter_(area_.files, derived_seed(context.seed, 1)),
        zipf_(values.text("distribution") == "zipf"),
        update_(static_cast<std::uint32_t>(values.count("update") / kPage)),
        replace_(values.real("replace")),
        cold_(static_cast<std::uint32_t>(values.real("cold") * area_.files)),
        fsync_(values.real("fsync")),
        checkpoint_(values.count("checkpoint") / kPage),
        background_(values.count("background") / kPage),
        write_blocks_(values.count("write_size") / kPage),
        to_load_(values.flag("load") ? area_.files : 0) {
    if (update_ > area_.file_blocks) throw GeneratorError("update", "exceeds a file");
  }

  bool knows_zones() const override { return area_.slots.zones; }

 private:
  static F2fsArea area_of(const GeneratorValues& values, const GeneratorContext& context) {
    check_whole_pages(values, {"section", "file", "update", "checkpoint", "write_size", "background"});
    F2fsArea area;
    area.file_blocks = static_cast<std::uint32_t>(values.count("file") / kPage);
    area.lay_out(context.space, values.count("section"), values.real("overprovision"), values.real("fill"));
    if (context.space.zones.max_open != 0 && context.space.zones.max_open < kLogs)
      throw GeneratorError("section", "the device opens " + std::to_string(context.space.zones.max_open) +
                                          " zones at a time, and there are six logs");
    return area;
  }

  // ---- Operations of the application ----

  void operate() override {
    if (to_load_ != 0) {
      create(area_.files - to_load_--);
      if (to_load_ == 0) checkpoint();
      return;
    }
    const std::uint32_t file = zipf_ ? static_cast<std::uint32_t>(scatter_(rank_(random_) - 1))
                                     : static_cast<std::uint32_t>(random_.below(area_.files));
    if (replace_ > 0 && random_.chance(replace_)) {
      remove(file);
      create(file);
    } else {
      write_data(file, static_cast<std::uint32_t>(random_.below(area_.file_blocks - update_ + 1)), update_);
    }
    if (fsync_ > 0 && random_.chance(fsync_)) sync(file);
    if (background_ != 0 && since_background_ >= background_) {
      since_background_ = 0;
      clean(CleanerPolicy::CostBenefit);
    }
    if (since_checkpoint_ >= checkpoint_) checkpoint();
  }

  void create(std::uint32_t file) {
    dirty_dentries_.insert(area_.dentry_of(file));
    for (std::uint32_t i = 0; i < area_.indirect_nodes; ++i) dirty_nodes_.insert(area_.indirect_node(file, i));
    write_data(file, 0, area_.file_blocks);
  }

  void remove(std::uint32_t file) {
    for (std::uint32_t block = 0; block < area_.file_blocks; ++block) logs_.invalidate(area_.data(file, block));
    for (std::uint32_t node = 0; node < area_.nodes_per_file(); ++node) {
      logs_.invalidate(area_.first_node(file) + node);
      dirty_nodes_.erase(area_.first_node(file) + node);
      note_node(area_.first_node(file) + node);
    }
  }

  void write_data(std::uint32_t file, std::uint32_t first, std::uint32_t count) {
    const Log log = file < cold_ ? ColdData : WarmData;
    for (std::uint32_t block = first; block < first + count; ++block) {
      dirty_nodes_.insert(area_.node_of(file, block));
      write(log, area_.data(file, block), kPage);
    }
    end_run();
    since_checkpoint_ += count;
    since_background_ += count;
  }

  // Writes only the file's node blocks; dirty directories wait for the checkpoint.
  void sync(std::uint32_t file) {
    const auto from = dirty_nodes_.lower_bound(area_.first_node(file));
    const auto to = dirty_nodes_.lower_bound(area_.first_node(file) + area_.nodes_per_file());
    const std::vector<std::uint32_t> nodes(from, to);
    dirty_nodes_.erase(from, to);
    for (const std::uint32_t node : nodes) write_node(node);
    end_run();
    waiting_.emplace_back().kind = RequestKind::Flush;
  }

  // ---- Writes to the ends of the logs; contiguous blocks share a request ----

  void write(std::uint32_t log, std::uint32_t logical, std::uint32_t application) {
    if (logs_.needs_section(log)) make_room();
    if (logs_.needs_section(log) && logs_.free_sections() == 0) fail();
    const std::uint32_t place = logs_.append(log, logical);
    sit_dirty_.insert(place / area_.segment_blocks());
    add(RequestKind::Write, area_.offset_of(place), static_cast<std::uint16_t>(log), application);
    if ((place + 1) % area_.segment_blocks() == 0 && area_.has_metadata) {
      end_run();
      write_in_place(area_.summary_offset(place / area_.segment_blocks()));
    }
    if (logs_.needs_section(log)) end_run();
  }

  void write_node(std::uint32_t node) {
    note_node(node);
    write(area_.is_directory(node) ? HotNode : area_.is_indirect(node) ? ColdNode : WarmNode, node, 0);
  }

  void note_node(std::uint32_t node) { nat_dirty_.insert(node); }

  void add(RequestKind kind, std::uint64_t offset, std::uint16_t placement, std::uint32_t application) {
    if (run_.length != 0 && (run_.kind != kind || run_.offset + run_.length != offset || run_placement_ != placement ||
                             run_.length / kPage >= write_blocks_))
      end_run();
    if (run_.length == 0) {
      run_ = Request{};
      run_.kind = kind;
      run_.offset = offset;
      run_placement_ = placement;
    }
    run_.length += kPage;
    run_.application_bytes += application;
  }

  void end_run() {
    if (run_.length == 0) return;
    if (run_.kind == RequestKind::Write) mark_(run_, run_placement_);
    waiting_.push_back(run_);
    run_ = Request{};
  }

  void write_in_place(std::uint64_t offset) { add(RequestKind::Write, offset, Metadata, 0); }

  // ---- Checkpoints ----

  // Writes dirty directories, dirty nodes (including those of the directories), the tables, and then the pack, which
  // makes the checkpoint valid.
  void checkpoint() {
    const bool nested = std::exchange(cleaning_, true);  // a checkpoint may use the reserved sections
    const auto dentries = std::exchange(dirty_dentries_, {});
    for (const std::uint32_t dentry : dentries) {
      write(HotData, dentry, 0);
      dirty_nodes_.insert(area_.directory_node(dentry));
    }
    const auto nodes = std::exchange(dirty_nodes_, {});
    for (const std::uint32_t node : nodes) write_node(node);
    end_run();
    since_checkpoint_ = 0;
    if (area_.has_metadata) {
      write_tables();
      waiting_.emplace_back().kind = RequestKind::Flush;
      for (std::uint32_t block = 0; block < F2fsArea::kPackBlocks; ++block)
        write_in_place(area_.pack_offset(version_) + block * kPage);
      end_run();
    }
    waiting_.emplace_back().kind = RequestKind::Flush;
    ++version_;
    for (const std::uint32_t section : logs_.take_empty()) {
      waiting_.push_back(freed(area_.slots, section));
      waiting_.back().offset += area_.main_begin;
    }
    cleaning_ = nested;
  }

  // If few entries changed, they stay in the journals of the pack's summaries, and no table block is written.
  void write_tables() {
    std::set<std::uint32_t> nat;
    std::set<std::uint32_t> sit;
    for (const std::uint32_t node : nat_dirty_) nat.insert(area_.nat_block(node));
    for (const std::uint32_t segment : sit_dirty_) sit.insert(area_.sit_block(segment));
    if (nat_dirty_.size() > F2fsArea::kNatJournal)
      for (const std::uint32_t block : nat) write_in_place(area_.nat_offset(block, version_));
    if (sit_dirty_.size() > F2fsArea::kSitJournal)
      for (const std::uint32_t block : sit) write_in_place(area_.sit_offset(block, version_));
    end_run();
    nat_dirty_.clear();
    sit_dirty_.clear();
  }

  // ---- The cleaner ----

  // As f2fs_gc() in the foreground: cleans sections one at a time, with a checkpoint as soon as a section is empty or
  // dirty nodes fill a section, until enough sections are free.
  void make_room() {
    if (cleaning_) return;
    end_run();
    cleaning_ = true;
    while (logs_.free_sections() <= area_.reserved + dirty_sections()) {
      if (logs_.empty_sections() != 0 || dirty_sections() != 0)
        checkpoint();
      else if (!move_blocks(CleanerPolicy::Greedy))
        fail();
    }
    cleaning_ = false;
  }

  /// Whole sections that the dirty nodes will fill at the next checkpoint.
  std::uint32_t dirty_sections() const {
    return static_cast<std::uint32_t>(dirty_nodes_.size()) / area_.section_blocks;
  }

  [[noreturn]] static void fail() { throw WorkloadError("f2fs", 0, "no section has room to gain; fill less"); }

  void clean(CleanerPolicy policy) {
    cleaning_ = true;
    move_blocks(policy);
    cleaning_ = false;
  }

  bool move_blocks(CleanerPolicy policy) {
    const std::optional<std::uint32_t> victim = logs_.victim(policy);
    if (!victim) return false;
    const std::vector<std::uint32_t> blocks = logs_.blocks_in(*victim);
    for (const std::uint32_t block : blocks) add(RequestKind::Read, area_.offset_of(logs_.place_of(block)), 0, 0);
    end_run();
    for (const std::uint32_t block : blocks) {
      if (area_.is_node(block)) {
        dirty_nodes_.erase(block);
        write_node(block);
        continue;
      }
      dirty_nodes_.insert(area_.is_dentry(block) ? area_.directory_node(block) : area_.node_of_data(block));
      write(ColdData, block, 0);
    }
    end_run();
    return true;
  }

  PlacementMark mark_;
  Random random_;
  F2fsArea area_;
  SectionLogs logs_;
  ZipfRank rank_;
  RandomPermutation scatter_;
  bool zipf_;
  std::uint32_t update_;  // blocks
  double replace_;
  std::uint32_t cold_;  // files
  double fsync_;
  std::uint64_t checkpoint_;  // blocks
  std::uint64_t background_;  // blocks
  std::uint64_t write_blocks_;
  std::uint32_t to_load_;  // files
  Request run_;
  std::uint16_t run_placement_ = 0;
  std::set<std::uint32_t> dirty_dentries_;
  std::set<std::uint32_t> dirty_nodes_;
  std::set<std::uint32_t> nat_dirty_;  // nodes written or removed since the last checkpoint
  std::set<std::uint32_t> sit_dirty_;  // segments written since the last checkpoint
  std::uint64_t version_ = 0;          // number of checkpoints so far
  std::uint64_t since_checkpoint_ = 0;
  std::uint64_t since_background_ = 0;
  bool cleaning_ = false;
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<F2fsSource>(values, context), .accounts = true};
}

const GeneratorRegistration registration{{.name = "f2fs",
                                          .summary = "a log-structured file system: six logs, checkpoints, a cleaner",
                                          .source = "F2FS (FAST 2015; Linux 6, mode=lfs)",
                                          .parameters = parameters(),
                                          .make = &make}};

}  // namespace
}  // namespace flashloom::generator::f2fs
