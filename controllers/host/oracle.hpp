// The oracle of `verify`: tracks which contents each sector may have, and checks every read that reaches the host.
//
// Contents are tokens: write number n puts token n into each of its sectors, 0 is zeroes. Events are ordered by a
// count, not by time. A read may return a write's token if the write was submitted before the read completed, and no
// other write of the sector began after that one completed and itself completed before the read was submitted (a
// register's linearizability). After a power cut a sector may hold any version since its last durable one; the first
// read then pins it. Where the host's cache outlives cuts, a pinned version is like a write acknowledged at that read:
// until it is durable, the next cut may bring back the others.
//
// A sector has a history only while more than one of its versions may be read, now or after a power cut; otherwise only
// the token of its content is kept.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/block/io_command.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

/// Is told which contents can never be read again, so that their bytes can be dropped.
class VersionObserver {
 public:
  /// No correct read of the sector returns this token any more. Called once for each pair, and never for token 0.
  virtual void gone(SectorToken token, std::uint64_t sector) = 0;

 protected:
  ~VersionObserver() = default;
};

class Oracle {
 public:
  struct Shape {
    std::uint64_t capacity_bytes;
    std::uint32_t sector_bytes;
    std::uint32_t unit_bytes;      ///< granularity of trim; partly covered units are unchanged; 0: trims change nothing
    bool durable_writes;           ///< acknowledged writes are durable (write-through)
    bool power_cuts;               ///< remember versions until a durable one replaces them
    bool durable_trims = false;    ///< so are acknowledged trims, and writes of zeroes (a buffer in NVRAM)
    std::uint64_t zone_bytes = 0;  ///< from the start of a zone to that of the next; 0: there are no zones
    bool host_keeps = false;    ///< a cache before the device outlives cuts: what a read shows may be on no flash yet
    bool atomic_units = false;  ///< also check that no cut tears a write within a unit; needs one request at a time
  };
  explicit Oracle(const Shape& shape);
  ~Oracle();
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  /// Sets the observer; null: none.
  void tell(VersionObserver* observer) { observer_ = observer; }
  /// Calls visit(token, sector), in no order, for each content except zeroes that a read may return now or later.
  template <class Visit>
  void each_version(Visit visit) const {
    for (std::uint64_t sector = 0; sector < sectors_; ++sector)
      if (settled_[sector] != 0 && !histories_.contains(sector)) visit(settled_[sector], sector);
    for (const auto& [sector, sector_history] : histories_)
      for (const Version& version : sector_history.versions)
        if (version.token != 0) visit(version.token, sector);
  }

  /// Before a command is submitted: gives a write its tokens. command.tokens must have room for its sectors.
  void submitted(IoCommand& command);
  /// When a command has completed: checks a read's tokens. A command that lost power, or failed, is told here too.
  void completed(const IoCommand& command);
  /// The device has refused a write of data that the host cache had already acknowledged, and the cache has dropped the
  /// data: until its sectors are written again they may have these contents, or any older ones.
  void given_up(const IoCommand& write);
  /// Power was lost and is back: call after the failed commands were told, before new ones are submitted.
  /// `acknowledged_survive`: the device promises this of every completed write and trim (power-loss protection, NVRAM).
  void power_cut(bool acknowledged_survive = false);

  /// Saves or loads everything: while no command is in flight, into a new oracle of the same shape.
  void state(StateArchive& archive);

  std::uint64_t reads_checked() const { return reads_checked_; }  ///< sectors
  std::uint64_t mismatches() const { return mismatches_; }        ///< sectors
  const std::string& first_mismatch() const { return first_mismatch_; }

  /// Ranges (offset, length) that were ever written, in order: what a final audit reads.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> touched_ranges(std::uint64_t max_length) const;

  /// Number of sectors with a history.
  std::size_t histories() const { return histories_.size(); }

 private:
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};
  struct Version {
    SectorToken token = 0;
    bool durable = false;
    std::uint64_t submit = 0;
    std::uint64_t complete = 0;     // kOpen while in flight
    std::uint64_t retired = kOpen;  // event at which a later write had replaced it; kOpen: it may be the content
    void state(StateArchive& archive) { archive(token, submit, complete, retired, durable); }
  };
  struct History {
    std::vector<Version> versions;
    SectorToken given_up = 0;  // the newest write that was given up
  };
  struct InFlight {
    std::uint64_t submit;
    SectorToken token;
  };
  struct Zeroing {
    const IoCommand* command;
    std::uint64_t submit;
  };
  /// Sectors that got histories by a write, and the event of its completion.
  struct Left {
    std::uint64_t event;
    std::uint64_t first;
    std::uint64_t count;
  };

  /// Whether the command leaves zeroes, and no zone knows of it.
  bool zeroes(const IoCommand& command) const {
    return shape_.zone_bytes == 0 &&
           (command.operation == IoOperation::Trim || command.operation == IoOperation::WriteZeroes);
  }
  template <class Visit>
  void each_run(const IoCommand& command, Visit visit) const;
  template <class Visit>
  void each_sector(const IoCommand& command, Visit visit) const;
  template <class Visit>
  void each_written_sector(const IoCommand& command, Visit visit) const;
  History& history(std::uint64_t sector);
  std::uint64_t newest_durable(const History& history) const;
  static bool left_by_one_given_up(const History& history, SectorToken seen, std::uint64_t submit);
  template <class Gone>
  void drop(std::uint64_t sector, History& history, Gone gone);
  /// Versions that were retired or complete before this event cannot affect a check any more.
  std::uint64_t oldest_open() const { return open_submits_.empty() ? event_ : *open_submits_.begin(); }
  bool prune(std::uint64_t sector, History& history);
  bool settle(std::uint64_t sector, const History& history);
  void prune(const Left& left);
  void prune_left();
  void leave_all(const std::vector<std::uint64_t>& sectors);
  bool settled_durable(const Version& version) const;
  void end_write(const IoCommand& command, const InFlight& flight);
  void pin(std::uint64_t sector, History& history, SectorToken seen, std::uint64_t submit);
  void check_read(const IoCommand& command, std::uint64_t submit);
  void touch(std::uint64_t sector);
  // --- Of zones.
  void note_zone_write(const IoCommand& command);
  void place(const IoCommand& command, const InFlight& flight);
  void withdraw(const IoCommand& command, const InFlight& flight);
  bool may_be_placed(std::uint64_t sector, SectorToken seen) const;
  template <class Visit>
  void each_sector_of_zones(const IoCommand& command, Visit visit) const;
  void check_atomic(const IoCommand& command);
  void mismatch(std::uint64_t sector, const std::string& what);

  Shape shape_;
  VersionObserver* observer_ = nullptr;
  std::uint64_t event_ = 1;
  SectorToken writes_ = 0;
  std::uint64_t durable_before_ = 0;  // writes that completed before this event are durable (flush)
  std::uint64_t sectors_;
  std::uint32_t* settled_ = nullptr;  // token by sector, where there is no history; lazily committed
  std::unordered_map<std::uint64_t, History> histories_;  // never iterated for results
  std::unordered_map<const IoCommand*, InFlight> in_flight_;
  std::vector<Zeroing> zeroings_;            // in flight, in the order of submission
  std::set<std::uint64_t> open_submits_;     // of reads in flight, and of zone writes, which are placed at completion
  std::deque<Left> for_reads_;               // until the reads that were in flight are complete
  std::deque<Left> for_flushes_;             // until a flush makes them durable
  std::vector<std::uint64_t> touched_;       // one bit for each group of sectors: some were written
  std::vector<std::uint64_t> zone_written_;  // by zone: bytes from its start in which there may be data
  std::uint64_t reads_checked_ = 0;
  std::uint64_t mismatches_ = 0;
  std::string first_mismatch_;
};

}  // namespace flashloom
