// The software of a tier, an SSD as a cache in front of an HDD: routing of requests, locks, copies, the maintenance
// pass, metadata, start and stop. Which segments the SSD holds is the policy's (family "tiering"). A power cut destroys
// it; start() of a new one finds the data again. docs/reference/tier.md has the rules.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "controllers/runtime/runtime.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "controllers/tier/block_port.hpp"
#include "controllers/tier/sector_cache.hpp"
#include "controllers/tier/segment_locks.hpp"
#include "controllers/tier/tier_config.hpp"
#include "controllers/tier/tier_metadata.hpp"
#include "controllers/tier/tier_statistics.hpp"
#include "policies/tiering/tiering.hpp"

namespace flashloom {

/// Steps at which tests cut power.
enum class TierStep : std::uint8_t {
  WriteBack,  ///< a dirty segment is about to be copied to the HDD
  PassBegin,  ///< the update bit is about to be written
  Fill,       ///< a segment is about to be copied to the SSD
  PassEnd,    ///< the image of a pass is about to be written
  DualWrite,  ///< a write goes to both devices
  Journal,    ///< a change is about to be appended to the journal
  Recover,    ///< recovery is about to copy a segment
  Started,    ///< recovery is about to write its image
};
inline constexpr std::size_t kTierSteps = 8;
const char* to_string(TierStep step);  ///< "write_back", ...

struct TierShape {
  std::uint32_t sector_bytes = 512;
  std::uint64_t home_bytes = 0;     ///< of the HDD
  std::uint64_t cache_bytes = 0;    ///< of the SSD
  bool tokens = false;              ///< the devices keep contents (`verify`); needed to start after a power cut
  bool bit_errors = false;          ///< single places may be unreadable: a failed read is not the end of the SSD
  std::uint32_t unit_bytes = 4096;  ///< of the SSD: the smallest piece that it can lose
};

/// The layout of both devices.
struct TierLayout {
  std::uint32_t segments = 0;  ///< of the HDD
  std::uint32_t slots = 0;     ///< of the SSD
  TierMetadata::Layout metadata;
};
/// As many segments and slots as fit, metadata behind them. 0 segments or slots: a device is too small.
TierLayout tier_layout(const TierConfig& config, const TierShape& shape);

/// The objects that the tier uses. All of them outlive it.
struct TierSurroundings {
  Runtime& runtime;
  TimerQueue& timers;
  BlockPort& cache;  ///< the SSD
  BlockPort& home;   ///< the HDD
  TierContents& contents;
  TierStatistics& statistics;
  std::function<void(TierStep, Segment)>& on_step;  ///< may be empty
};

class Tier {
 public:
  Tier(const TierConfig& config, const TierShape& shape, const TierSurroundings& surroundings);

  /// Carries out a command; returns when it is complete.
  Task<void> serve(IoCommand& command);
  /// Recovers after power-on. Requests wait until it is done.
  Task<void> start();
  /// Orderly shutdown: serves no more requests, copies dirty segments to the HDD, sets the clean bit.
  Task<void> stop();
  /// Returns when a maintenance pass that began after the call has ended; at once for policies without passes.
  Task<void> pass();

  const TierMap& map() const { return map_; }
  /// The slot that serves reads of this part of a segment (bytes of the HDD); kNoSlot: the HDD serves them.
  Slot serving_slot(Segment segment, std::uint64_t offset, std::uint64_t length) const;
  bool dirty(Slot slot) const { return dirty_[slot]; }
  const TierImage& image() const { return metadata_.image(); }
  bool in_pass() const { return in_pass_; }
  /// The policy has passes, and a timer starts them.
  bool passes_by_time() const { return traits_.in_passes && config_.pass != "command"; }
  /// The SSD has failed; data that only it had are lost.
  bool retired() const { return retired_; }
  bool lost(Segment segment) const;
  /// No request, exchange or pass is under way.
  bool rests() const { return requests_ == 0 && exchanges_ == 0 && !in_pass_; }

 private:
  Task<void> transfer(IoCommand& command);
  Task<void> transfer_data(IoCommand& command, Segment first, Segment last);
  Task<IoStatus> find_again(Segment first, Segment last);
  void note_written(Segment first, Segment last);
  Task<IoStatus> prepare_write(const IoCommand& command, Segment first, Segment last);
  void route(const IoCommand& command, Segment first, Segment last, TransferGroup& group);
  void count(const IoCommand& command, Segment first, Segment last);
  void tell_policy(const IoCommand& command, Segment first, Segment last);
  bool needs_all(const IoCommand& command, Segment first, Segment last) const;
  bool any_lost(Segment first, Segment last) const;

  struct FilledPart {
    Segment segment = kNoSegment;
    Slot slot = kNoSlot;
    std::uint32_t first = 0;  // sector of the segment
    std::uint32_t count = 0;
  };
  template <class F>
  void each_cached(std::uint64_t offset, std::uint64_t length, F&& f);
  void claim(TierExchange wanted);
  ReadFill* open_fill(const IoCommand& command);
  void close_fill(ReadFill& fill);
  void start_fill(ReadFill& fill, const IoCommand& command);
  Task<void> fill_from_read(ReadFill* fill, bool tokens);
  void submit_parts(const ReadFill& fill, bool tokens, std::vector<FilledPart>& parts, TransferGroup& group);
  void begin_reads(const IoCommand& command, std::vector<FilledPart>& parts);
  void end_reads(std::vector<FilledPart>& parts);
  bool reads_home(const IoCommand& command, const TransferGroup& group) const;
  Task<void> read_home(IoCommand& command);
  std::vector<FilledPart> take_parts();
  void give_parts(std::vector<FilledPart>& parts);
  void invalidate(const IoCommand& command);
  void drop_partial_segments();

  Task<void> exchange(TierExchange wanted);
  Task<IoStatus> evict(Slot slot);
  Task<IoStatus> fill(TierExchange wanted);
  Task<IoStatus> write_back(Slot slot);
  Task<IoStatus> copy(BlockPort& from, std::uint64_t source, BlockPort& to, std::uint64_t destination);
  Task<IoStatus> flush(LatencyBreakdown* breakdown);
  Task<IoStatus> settle();
  Task<IoStatus> append(TierRecord record);
  Task<IoStatus> write_image(bool clean, bool update);

  Task<IoStatus> pass_steps(TierPass& pass);
  Task<IoStatus> write_back_all(std::uint64_t& segments);
  Task<void> host_rests();
  Task<void> alarm(Picoseconds at);
  Task<void> pass_later();
  Picoseconds next_pass() const;
  void plan_pass();

  Task<IoStatus> recover();
  Task<IoStatus> recover_by_passes(const TierImage& image);
  std::vector<Slot> slots_by_segment(bool all) const;
  Task<void> retire();

  void step(TierStep step, Segment segment = kNoSegment) {
    if (around_.on_step) around_.on_step(step, segment);
  }
  std::uint64_t home_of(Segment segment) const { return std::uint64_t{segment} * config_.segment; }
  std::uint64_t place_of(Slot slot) const { return std::uint64_t{slot} * config_.segment; }

  const TierConfig& config_;
  TierShape shape_;
  TierLayout layout_;
  TierSurroundings around_;
  std::unique_ptr<TieringPolicy> policy_;
  TieringTraits traits_;
  TierMetadata metadata_;
  TierMap map_;
  std::vector<bool> dirty_;    // by slot: the SSD may have what the HDD lacks
  std::vector<bool> ahead_;    // by slot, dirty ones: a write has reached the SSD, and no copy the HDD
  std::vector<bool> busy_;     // by slot: an exchange is under way
  std::vector<Segment> lost_;  // sorted
  SegmentLocks locks_;
  SectorCache sectors_;  // used by policies that fill from reads
  std::vector<std::vector<FilledPart>> spare_parts_;
  std::uint32_t requests_ = 0;   // being served
  std::uint32_t transfers_ = 0;  // of these requests, those that hold locks
  std::uint32_t exchanges_ = 0;
  bool serving_ = true;
  bool dual_ = false;  // writes of cached segments go to both devices
  bool in_pass_ = false;
  bool retired_ = false;
  bool retiring_ = false;
  bool cache_failed_ = false;
  bool planned_ = false;       // a pass is planned
  bool alarmed_ = false;       // a timer is set to wake the pass that waits for an idle host
  Picoseconds rested_at_ = 0;  // end of the last request
  Picoseconds last_pass_ = 0;
  WaitList serves_;   // requests wait here until the tier serves
  WaitList drained_;  // waits until no request and no exchange is under way
  WaitList idle_;     // a pass waits for an idle host
  WaitList changed_;  // the map has changed
  WaitList pass_over_;
};

}  // namespace flashloom
