// The firmware of one SSD: data buffer over FTL. A power cut destroys it; boot() of a new one finds the data again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/buffer/data_buffer.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/zones/zones.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/ssd/firmware_config.hpp"
#include "models/block/io_command.hpp"
#include "models/common/cache_turnover.hpp"
#include "models/memory/nvram_contents.hpp"
#include "models/nand/nand_media.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom {

class Firmware final : private ZoneListener {
 public:
  /// `nvram` outlives the firmware as the media do; used with buffer.location = "nvram" only.
  Firmware(const FirmwareConfig& config, const NandGeometry& geometry, NandMedia& media, NvramContents& nvram,
           Hardware& hardware);

  /// After power-on: recovers the map, and the dirty units in NVRAM. Nothing else may run before it returns.
  Task<void> boot();
  /// Carries out a command whose entry has come at `fetched`: parse, data transfer, buffer, flash, completion. Returns
  /// when nothing is left to decide: its completion entry may be sent from command.ready on (data of a read may still
  /// be on the link until command.data_done). Sets command.status.
  Task<void> execute(IoCommand& command, Picoseconds fetched = 0);
  /// Returns when all accepted data and trims are on flash: a flush on the capacitors. Waits are charged to the
  /// breakdown of `command`.
  Task<void> drain(IoCommand& command) { return buffer_->drain(command); }

  /// A command to `offset` will come soon, and then, very soon: lets the computer fetch what that will touch.
  void foresee(std::uint64_t offset, bool read) const {
    const std::uint32_t unit = buffer_->pieces().unit_of(offset);
    buffer_->prefetch(unit);
    if (read) ftl_->prefetch(unit);  // a write comes to the map when it leaves the buffer
  }
  void foresee_closer(std::uint64_t offset, bool read) const {
    const std::uint32_t unit = buffer_->pieces().unit_of(offset);
    if (!buffer_->prefetch_entry(unit) && read) ftl_->prefetch_data(unit);
  }

  /// Whether a read can change anything that shows later: see Ftl.
  bool reads_leave_traces() const {
    return verify_ || buffer_->reads().remembers() || ftl_->reads_leave_traces();
  }
  /// The caches that reads leave their traces in; none where they leave others, too, or no traces at all.
  std::vector<CacheTurnover> caches_of_reads() const;

  /// A step of background work, while the host does nothing (Ftl::idle).
  Task<bool> idle() { return ftl_->idle(); }
  /// Lets go what waits for more to be written, while the host does nothing (Ftl::come_to_rest).
  Task<void> come_to_rest() { return ftl_->come_to_rest(); }

  /// See Ftl.
  Task<void> host_memory_changed() { return ftl_->host_memory_changed(); }
  void host_memory_lost() { ftl_->host_memory_lost(); }

  /// Saves everything that cannot be learned from the media, or loads it into firmware made anew for the same device.
  /// The firmware must be quiescent.
  void state(StateArchive& archive) {
    buffer_->state(archive);
    ftl_->state(archive, buffer_->front());
  }

  /// A part of a sequential fill of a new device, from unit 0 on, that may be told by a rule; the rest is written.
  struct FillSpan {
    std::uint64_t begin = 0;    ///< unit up to which is written before it
    std::uint64_t end = 0;      ///< the same as begin: nothing is told
    const char* why = nullptr;  ///< then
  };
  /// Of so many units, in requests of request_bytes.
  FillSpan fill_span(std::uint64_t units, std::uint64_t request_bytes) const;
  /// Does all that the writes of the span would do, on the instant clock. `next`: unit at which to go on, which may
  /// come before its end.
  Task<void> fill_by_rule(FillSpan span, std::uint64_t request_bytes, std::uint64_t& next);

  /// What the block socket's transport_dbg answers: the length of a write that makes no merge, else 0.
  std::uint32_t debug(const IoCommand& command) const;

  std::uint64_t capacity_bytes() const { return capacity_bytes_; }
  std::uint32_t unit_bytes() const { return unit_bytes_; }  ///< of a mapping unit
  const Ftl& ftl() const { return *ftl_; }
  /// Null: the device has no zones.
  const Zones* zones() const { return zones_; }
  const DataBuffer& buffer() const { return *buffer_; }

 private:
  /// Of a flush or a write.
  [[gnu::cold]] void look_at_placement(IoCommand& command);
  /// What execute() does with a command that it accepts, and that is no read.
  Task<void> carry_out(IoCommand& command, Picoseconds fetched);
  /// The same by a drive that lies.
  Task<void> carry_out_or_lie(IoCommand& command, Picoseconds fetched);
  /// Parses and acknowledges a command that it does not carry out; takes the data of a write.
  Task<void> pretend(IoCommand& command, Picoseconds fetched);
  Task<void> read(IoCommand& command, Picoseconds fetched);
  /// Its data stay in the device.
  Task<void> read_inside(IoCommand& command, Picoseconds fetched);
  /// On the timed clock. Without `keep` the data are taken and forgotten.
  Task<void> write(IoCommand& command, Picoseconds fetched, bool keep = true);
  /// Its data are in the buffer's memory from `stored` on.
  Task<void> put(IoCommand& command, Picoseconds stored);
  Task<Picoseconds> receive_in_frames(const IoCommand& command);
  /// All but reads and writes. Without `act` it is parsed and acknowledged alone.
  Task<void> other(IoCommand& command, Picoseconds fetched, bool act = true);
  Task<void> trim(IoCommand& command);
  Task<void> write_zeroes(IoCommand& command);
  bool fits(const IoCommand& command) const;

  // --- Zones (firmware_zones.cpp).
  /// Commands that change a zone are carried out one after the other, in the order in which they were accepted: which
  /// is the order of their write pointers.
  struct ZoneTurns {
    std::uint64_t given = 0;
    std::uint64_t over = 0;
  };
  /// execute() of a zoned device.
  Task<void> execute_on_zones(IoCommand& command, Picoseconds fetched);
  IoStatus accept(IoCommand& command);
  Task<void> write_zone(IoCommand& command, Picoseconds fetched);
  Task<void> manage_zones(IoCommand& command, Picoseconds fetched);
  Task<void> report_zones(IoCommand& command, Picoseconds fetched);
  Task<void> tell_zone(IoCommand& command, ZoneOrder order);
  Task<void> pad_zone(std::uint32_t zone);
  Task<void> pad_member(std::uint32_t zone, std::uint32_t member, std::uint32_t& padding);
  std::uint32_t first_unit(std::uint32_t zone) const { return zone * zones_->table().shape().zone_size; }
  void end_turn(std::uint32_t zone);
  void on_read_only(std::uint32_t zone) override;
  Task<void> wind_up(std::uint32_t zone, std::uint64_t turn);

  /// The buffer's policy asks the FTL by this what a write would cost.
  class WriteCosts final : public CostOracle {
   public:
    explicit WriteCosts(const std::unique_ptr<Ftl>& ftl) : ftl_(ftl) {}
    bool overwrites(std::uint64_t page) const override {
      return ftl_->write_merges(static_cast<std::uint32_t>(page), 1);
    }

   private:
    const std::unique_ptr<Ftl>& ftl_;
  };

  Hardware& hardware_;
  DriveFaults* faults_;  // null: an honest drive
  const NamespaceSizes& namespaces_;
  const bool has_namespaces_ = !namespaces_.empty();
  bool plain_ = !has_namespaces_;  // an address says all of where a command goes
  std::uint64_t capacity_bytes_;
  std::uint32_t unit_bytes_;
  std::uint32_t units_per_program_;
  bool verify_;
  std::unique_ptr<Ftl> ftl_;
  WriteCosts costs_{ftl_};
  std::unique_ptr<DataBuffer> buffer_;
  Zones* zones_ = nullptr;
  std::vector<ZoneTurns> turns_;  // by zone
  WaitList padded_;               // for the last member of a finished zone
  WaitList turn_;                 // for one to come
};

}  // namespace flashloom
