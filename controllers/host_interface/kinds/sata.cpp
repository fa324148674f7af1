// SATA behind AHCI: one queue, native command queueing.
//
// Reads and writes are queued (READ and WRITE FPDMA QUEUED), up to host_interface.queue_depth of them, 32 at most, each
// with a tag that is its own until the host has the Set Device Bits FIS. FLUSH CACHE EXT and DATA SET MANAGEMENT
// (TRIM) are not: such a command waits until nothing is in the device, and nothing goes beside it (ATA/ATAPI Command
// Set 3 on NCQ; libata holds them back likewise). With a depth of 1 there is no queueing: all commands are
// READ and WRITE DMA EXT and the like. ATA has no Write Zeroes: it is sent as a TRIM, as libata does for drives whose
// trimmed sectors read as zeroes.
//
// Frames (Serial ATA Revision 3.1, chapter 10, FIS types): Register FIS 20 bytes, to the device with a command; to the
// host it releases the wires after a queued command, and ends one that is not queued. DMA Setup FIS 28 bytes before the
// data of a queued command, DMA Activate FIS 4 bytes before each frame of host data that no DMA Setup has activated,
// Data FIS up to 8 KiB, Set Device Bits FIS 8 bytes at the end of a queued command. Their framing is
// link.packet_overhead.
#include <memory>

#include "controllers/host_interface/host_protocol.hpp"
#include "models/common/config_problem.hpp"
#include "policies/registry.hpp"

namespace flashloom::host_protocol::sata {
namespace {

constexpr std::uint32_t kRegisterFis = 20;
constexpr std::uint32_t kDmaSetupFis = 28;
constexpr std::uint32_t kDmaActivateFis = 4;
constexpr std::uint32_t kSetDeviceBitsFis = 8;
constexpr std::uint32_t kDataFis = 8192;  // data that one carries
constexpr std::uint32_t kTags = 32;
constexpr std::uint64_t kRangeSectors = 65535;  // of a trim's range entry: 16 bits
constexpr std::uint64_t kRangesABlock = 64;     // 8 bytes each, in blocks of 512 bytes
constexpr std::uint32_t kRangeBlock = 512;

constexpr DataFrames kQueued = {.setup = kDmaSetupFis, .activate = kDmaActivateFis, .data = kDataFis};
constexpr DataFrames kRead = {.setup = 0, .activate = 0, .data = kDataFis};
constexpr DataFrames kWrite = {.setup = kDmaActivateFis, .activate = kDmaActivateFis, .data = kDataFis};

class Sata final : public HostProtocol {
 public:
  explicit Sata(const HostProtocolContext& context)
      : queues_(context.queues),
        depth_(context.interface.queue_depth),
        sector_(context.interface.sector_size),
        priorities_(!context.queue_priorities.empty()) {}

  Traits traits() const override {
    return {.command_bytes = kRegisterFis,
            .completion_bytes = kSetDeviceBitsFis,
            .picks = true,
            .frames = true,
            .held_until_reported = true};
  }

  std::uint32_t pick(const SubmissionQueues& queues) override {
    const bool alone = !queued(*queues.head(0));
    if (queues.in_device() != 0 && (alone || alone_)) return SubmissionQueues::kNone;
    alone_ = alone;
    return 0;
  }

  CommandFrames frames(const IoCommand& command) const override {
    if (queued(command)) return {.accepted = kRegisterFis, .completion = kSetDeviceBitsFis, .data = &kQueued};
    const DataFrames* data = command.operation == IoOperation::Read ? &kRead : &kWrite;
    return {.accepted = 0, .completion = kRegisterFis, .data = data};
  }

  std::uint32_t list(const IoCommand& command, std::uint32_t piece) const override {
    const bool ranges = command.operation == IoOperation::Trim || command.operation == IoOperation::WriteZeroes;
    if (!ranges || piece != 0) return 0;
    std::uint64_t entries = 0;
    const std::uint64_t most = kRangeSectors * sector_;
    for_each_range(command, [&](std::uint64_t, std::uint64_t length) { entries += (length + most - 1) / most; });
    return static_cast<std::uint32_t>((entries + kRangesABlock - 1) / kRangesABlock) * kRangeBlock;
  }
  std::uint32_t list_request() const override { return kDmaActivateFis; }

  void reset() override { alone_ = false; }

  void check() const override {
    require(queues_ == 1, "host.queues", "SATA has one queue, not ", queues_,
            "; valid: 1, or host_interface.kind = \"nvme\"");
    require(depth_ <= kTags, "host_interface.queue_depth", "SATA native command queueing has 32 entries, not ", depth_,
            "; valid: 1 .. 32");
    require(!priorities_, "host.queue_priorities",
            "SATA has one queue and no classes; valid: [], or host_interface.kind = \"nvme\"");
  }

 private:
  bool queued(const IoCommand& command) const { return depth_ > 1 && moves_data(command.operation); }

  std::uint32_t queues_;
  std::uint32_t depth_;
  std::uint32_t sector_;
  bool priorities_;
  bool alone_ = false;  // the command fetched last is not queued: no other one may be in the device
};

const Registration<HostProtocol> registration{
    {.name = "sata",
     .summary = "SATA, AHCI: one queue of up to 32 tags (NCQ); flushes and trims go alone",
     .source = "Serial ATA Revision 3.1, chapters 10 (FIS types) and 13 (NCQ); ATA/ATAPI Command Set 3 (ACS-3)",
     .parameters = {}},
    [](const HostProtocolContext& context, const ParameterValues&) { return std::make_unique<Sata>(context); }};

}  // namespace
}  // namespace flashloom::host_protocol::sata
