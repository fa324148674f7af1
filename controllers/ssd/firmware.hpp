// The firmware of one SSD: data buffer over FTL. A power cut destroys it; boot() of a new one recovers the data.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/buffer/data_buffer.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/zones/zones.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/ssd/firmware_config.hpp"
#include "controllers/ssd/read_end.hpp"
#include "models/block/io_command.hpp"
#include "models/common/cache_turnover.hpp"
#include "models/memory/nvram_contents.hpp"
#include "models/nand/nand_media.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom {

class PlainReads;

class Firmware final : private ZoneListener {
 public:
  /// `nvram` and `media` outlive the firmware; `nvram` is used with buffer.location = "nvram" only.
  Firmware(const FirmwareConfig& config, const NandGeometry& geometry, NandMedia& media, NvramContents& nvram,
           Hardware& hardware);
  ~Firmware();

  /// Recovers the map and the dirty units in NVRAM after power-on. No other function may be called before it returns.
  Task<void> boot();
  /// Carries out a command whose entry was fetched at `fetched`: parse, data transfer, buffer, flash, completion.
  /// Returns when the times of its end are known: its completion entry may be sent from command.ready on, and data of a
  /// read are on the link until command.data_done. Sets command.status.
  Task<void> execute(IoCommand& command, Picoseconds fetched = 0);
  /// Whether begin_plain_read() can take the place of execute().
  bool is_plain_read(const IoCommand& command) const {
    return command.operation == IoOperation::Read && plain_reads_ != nullptr && hardware_.moves_at_once() &&
           command.length != 0 && command.length <= capacity_bytes_ &&
           command.offset <= capacity_bytes_ - command.length && command.ranges == nullptr &&
           command.use == ReadUse::Host;
  }
  /// Carries out a plain read without a coroutine, while a runtime is running; then tells `end`.
  void begin_plain_read(IoCommand& command, Picoseconds fetched, ReadEnd& end);
  /// Returns when all accepted data and trims are on flash: the flush of a device on its capacitors. Waits are
  /// charged to the breakdown of `command`.
  Task<void> drain(IoCommand& command) { return buffer_->drain(command); }

  /// A command to `offset` will come soon (foresee_closer: very soon): prefetches its data structures to the CPU's
  /// cache.
  void foresee(std::uint64_t offset, bool read) const {
    const std::uint32_t unit = buffer_->pieces().unit_of(offset);
    buffer_->prefetch(unit);
    if (read) ftl_->prefetch(unit);  // a write comes to the map when it leaves the buffer
  }
  void foresee_closer(std::uint64_t offset, bool read) const {
    const std::uint32_t unit = buffer_->pieces().unit_of(offset);
    if (!buffer_->prefetch_entry(unit) && read) ftl_->prefetch_data(unit);
  }

  /// Whether a read can change the state that later results depend on: see Ftl.
  bool reads_leave_traces() const { return verify_ || buffer_->reads().remembers() || ftl_->reads_leave_traces(); }
  /// The caches whose contents reads change; empty if reads change nothing, or other state too.
  std::vector<CacheTurnover> caches_of_reads() const;

  /// A step of background work while the host is idle (Ftl::idle).
  Task<bool> idle() { return ftl_->idle(); }
  /// Completes operations that wait for further writes, while the host is idle (Ftl::come_to_rest).
  Task<void> come_to_rest() { return ftl_->come_to_rest(); }

  /// See Ftl.
  Task<void> host_memory_changed() { return ftl_->host_memory_changed(); }
  void host_memory_lost() { ftl_->host_memory_lost(); }

  /// Saves the state that the media do not hold, or loads it into new firmware of the same device. The firmware must be
  /// quiescent.
  void state(StateArchive& archive) {
    buffer_->state(archive);
    ftl_->state(archive, buffer_->front());
  }

  /// The part of a sequential fill of a new device, from unit 0 on, that can be computed by a rule; the rest is
  /// written.
  struct FillSpan {
    std::uint64_t begin = 0;    ///< first unit of the span; units below are written before it
    std::uint64_t end = 0;      ///< behind the last unit; equal to begin: the span is empty
    const char* why = nullptr;  ///< why the span is empty
  };
  /// The span of a fill of `units` units in requests of `request_bytes`.
  FillSpan fill_span(std::uint64_t units, std::uint64_t request_bytes) const;
  /// Has the same effect as the writes of the span, on the instant clock. `next`: the unit at which to continue, which
  /// may lie before the end of the span.
  Task<void> fill_by_rule(FillSpan span, std::uint64_t request_bytes, std::uint64_t& next);

  // --- Writes of whole units of job 0, one after the other, on the instant clock (firmware_whole.cpp): the units that
  // the buffer evicts go to the FTL many at a time. Until end_whole() no other command may come.
  /// Takes such a write, once there were many; false: it must come as a command, after end_whole().
  bool take_whole(std::uint64_t offset, std::uint64_t length);
  /// Some have been taken since end_whole(); so many that write_whole() is due.
  bool taking_whole() const { return taking_whole_; }
  bool whole_is_due() const { return evicted_.size() >= kWholeTogether; }
  Task<void> write_whole();
  Task<void> end_whole();

  /// The result of the block socket's transport_dbg: the length of a write that causes no merge, else 0.
  std::uint32_t debug(const IoCommand& command) const;

  std::uint64_t capacity_bytes() const { return capacity_bytes_; }
  std::uint32_t unit_bytes() const { return unit_bytes_; }  ///< of a mapping unit
  const Ftl& ftl() const { return *ftl_; }
  /// Null: the device has no zones.
  const Zones* zones() const { return zones_; }
  const DataBuffer& buffer() const { return *buffer_; }

 private:
  /// Checks the placement identifier of a flush or write.
  [[gnu::cold]] void look_at_placement(IoCommand& command);
  /// Carries out an accepted command other than a read.
  Task<void> carry_out(IoCommand& command, IoStatus status, Picoseconds fetched);
  /// The same for a drive with injected faults.
  Task<void> carry_out_with_faults(IoCommand& command, Picoseconds fetched);
  /// Injected fault: parses and acknowledges a command, and takes the data of a write, without carrying it out.
  Task<void> acknowledge_alone(IoCommand& command, Picoseconds fetched);
  Task<void> read(IoCommand& command, Picoseconds fetched);
  /// A read whose data stay in the device (no transfer to the host).
  Task<void> read_inside(IoCommand& command, Picoseconds fetched);
  /// A write on the timed clock. `keep` false: the data are transferred and dropped.
  Task<void> write(IoCommand& command, Picoseconds fetched, bool keep = true);
  /// Buffers a write whose data are in the buffer's memory from `stored` on.
  Task<void> put(IoCommand& command, Picoseconds stored);
  Task<Picoseconds> receive_in_frames(const IoCommand& command);
  /// Commands other than reads and writes. `act` false: the command is only parsed and acknowledged.
  Task<void> other(IoCommand& command, Picoseconds fetched, bool act = true);
  Task<void> trim(IoCommand& command);
  Task<void> write_zeroes(IoCommand& command);
  bool fits(const IoCommand& command) const;

  // --- Zones (firmware_zones.cpp).
  /// Commands that change a zone are carried out one after the other, in the order of acceptance, which is the order of
  /// their write pointers.
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

  /// Lets the buffer's eviction policy ask the FTL for the cost of a write.
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
  DriveFaults* faults_;  // null: no injected faults
  const NamespaceSizes& namespaces_;
  const bool has_namespaces_ = !namespaces_.empty();
  bool plain_ = !has_namespaces_;  // the offset alone determines the target of a command
  std::uint64_t capacity_bytes_;
  std::uint32_t unit_bytes_;
  std::uint32_t units_per_program_;
  bool verify_;
  std::unique_ptr<Ftl> ftl_;
  WriteCosts costs_{ftl_};
  std::unique_ptr<DataBuffer> buffer_;
  std::unique_ptr<PlainReads> plain_reads_;  // null: every read takes the general way
  Zones* zones_ = nullptr;
  std::vector<ZoneTurns> turns_;  // by zone
  WaitList padded_;               // waits for the last member of a finished zone
  WaitList turn_;                 // commands wait here for their turn in a zone
  static constexpr std::size_t kWholeTogether = 1024;
  static constexpr std::uint32_t kWholeBefore = 256;  // such writes between looks into the buffer, which cost much
  std::uint32_t whole_before_ = 0;
  bool taking_whole_ = false;
  std::vector<WholeUnit> evicted_;  // and not yet with the FTL
};

}  // namespace flashloom
