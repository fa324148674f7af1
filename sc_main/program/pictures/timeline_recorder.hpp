// A run as a trace-event file (the JSON that ui.perfetto.dev and chrome://tracing open): requests, firmware steps,
// memory and link transfers, bus and arrays, with flow arrows from requests to their flash commands. Format: "Trace
// Event Format", Google, 2016; docs/schemas/timeline.schema.json.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "controllers/host/host_observer.hpp"
#include "models/common/service_observer.hpp"
#include "models/nand/nand_geometry.hpp"
#include "sc_main/program/options/time_window.hpp"
#include "sc_main/program/pictures/bounded_log.hpp"
#include "sc_main/program/pictures/flash_slicer.hpp"

namespace flashloom {

/// To be attached to the host, to a FlashSlicer, and to the resources with their numbers here. Its memory is bounded by
/// the limit.
class TimelineRecorder final : public HostObserver, public ServiceObserver, public FlashSliceSink {
 public:
  enum Resource : std::uint32_t { kDram, kNvram, kLinkDown, kLinkUp, kFirstCore };

  struct Shape {
    std::uint64_t limit = 0;  ///< events in the file, without those that name tracks
    TimeWindow window;
    Picoseconds cut = kNever;  ///< time of a power cut; kNever: none
    std::uint32_t cores = 0;
  };
  /// `now` returns the kernel's time. The geometry must outlive this.
  TimelineRecorder(const NandGeometry& geometry, const Shape& shape, std::function<Picoseconds()> now);

  void completed(const IoCommand& command, std::uint32_t job, bool measured) override;
  void served(std::uint32_t resource, std::uint32_t what, std::uint64_t amount, Picoseconds from,
              Picoseconds to) override;
  void command_began(const FlashCommandInfo& info, const OnfiCommand& command, Picoseconds at) override;
  void stage(const FlashCommandInfo& info, FlashStage stage, Picoseconds from, Picoseconds to) override;
  void command_ended(const FlashCommandInfo& info, Picoseconds from, Picoseconds to) override;

  /// The file of a run that ended at `end`; `job_names` by number.
  std::string text(Picoseconds end, const std::vector<std::string>& job_names);
  /// After text(): time at which the limit ended the timeline; kNever: it did not.
  Picoseconds cut_off() const { return cut_off_; }

 private:
  friend class TimelineWriter;
  struct RequestEntry {
    Picoseconds at = 0;  // arrival
    Picoseconds accepted = 0, complete = 0;
    std::uint64_t number = 0, offset = 0, length = 0;
    std::uint32_t job = 0;
    IoOperation operation = IoOperation::Read;
    IoStatus status = IoStatus::Ok;
  };
  struct ServiceEntry {
    Picoseconds at = 0, to = 0;
    std::uint64_t amount = 0;
    std::uint32_t resource = 0, what = 0;
  };
  struct CommandEntry {
    Picoseconds at = 0, to = 0;
    FlashCommandInfo info;
  };
  struct StageEntry {
    Picoseconds at = 0, to = 0;
    FlashCommandInfo info;
    FlashStage stage = FlashStage::Array;
  };
  /// An arrow from a request, or within a garbage collection, to a command.
  struct FlowEntry {
    Picoseconds at = 0;  // the command's begin
    std::uint64_t owner = 0;
    FlashCommandInfo info;
    bool collection = false;
    bool after_cut = false;  // the numbers of collections restart after a cut
  };

  Picoseconds horizon();
  void add_arrows(const FlashCommandInfo& info, const OnfiCommand& command, Picoseconds at);

  const NandGeometry& geometry_;
  Shape shape_;
  std::function<Picoseconds()> now_;
  BoundedLog<RequestEntry> requests_;
  BoundedLog<ServiceEntry> services_;
  BoundedLog<CommandEntry> commands_;
  BoundedLog<StageEntry> stages_;
  BoundedLog<FlowEntry> flows_;
  Picoseconds cut_off_ = kNever;
};

}  // namespace flashloom
