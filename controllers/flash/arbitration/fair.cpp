// Fair to flows: start-time fair queueing of each die's time. A flow is a job of the host (its stream); the map,
// garbage collection with merges, and wear levelling with scrubbing are flows of their own. A command that comes to a
// die gets the start tag max(v, F), F being the finish tag of its flow's newest one, and a finish tag that lies its
// service time (array and data of a page, over the flow's weight) later; the die takes the waiting command with the
// lowest start tag, which becomes v; when the die has run empty v is the highest finish tag. So a flow with many
// commands in flight delays one with few by one command of each other flow at most, and flows that always wait get
// equal shares of the die's time (Goyal, Vin, Cheng, SIGCOMM 1996; SFQ(D) is its form for storage: Jin, Chase, Kaur,
// SIGMETRICS 2004). Unfairness inside an SSD, its causes, the remedy of reordering by flow and precedence of reads:
// FLIN (Tavakkol et al., ISCA 2018), of which this has neither the two-stage heuristics nor the priorities.
//
// Reads go before programs and erases, since a host waits for them and they take a tenth of the time, `read_bound` of
// them at most: then shares are equal among the reads, and among the rest. With 0 all are one.
//
// Host programs keep their order of arrival among each other, as flash requires; a program is the work of the flow
// whose unit came first in it. Dies that compete for the bus or for power do so in the order of arrival. With
// ftl.queue_limit commands wait before they come to the die, first come first served: there is less to choose from.
#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "controllers/flash/arbitration.hpp"
#include "controllers/flash/arbitration/command_class.hpp"
#include "policies/registry.hpp"

namespace flashloom::arbitration::fair {
namespace {

constexpr std::uint32_t kMap = 0;
constexpr std::uint32_t kReads = 1;
constexpr std::uint32_t kFlowLanes = 28;
constexpr std::uint32_t kHostWrites = kReads + kFlowLanes;
constexpr std::uint32_t kGc = kHostWrites + 1;
constexpr std::uint32_t kWear = kGc + 1;
static_assert(kWear < kLanes);

constexpr std::uint32_t kHostFlows = kNoFlow + 1;  // what no job is known of is one of them
constexpr std::uint32_t kFlows = kHostFlows + 3;

class Fair final : public Arbitration {
 public:
  Fair(const ArbitrationContext& context, double device_weight, std::uint32_t read_bound)
      : service_(context.service), device_weight_(device_weight), read_bound_(read_bound), dies_(context.dies) {}

  std::uint32_t lane(FlashOperation operation, Origin origin) const override {
    switch (class_of(operation, origin)) {
      case CommandClass::HostRead:
        return kReads;
      case CommandClass::Map:
        return kMap;
      case CommandClass::HostWrite:
        return kHostWrites;
      case CommandClass::Gc:
        return kGc;
      case CommandClass::Wear:
        break;
    }
    return kWear;
  }
  std::uint32_t flow_lanes() const override { return kFlowLanes; }
  bool counts_service() const override { return true; }

  std::uint32_t choose(const DieQueues& queues) const override {
    const std::uint32_t candidates = candidates_of(queues);
    auto best = static_cast<std::uint32_t>(std::countr_zero(candidates));
    for (std::uint32_t rest = candidates & (candidates - 1); rest != 0; rest &= rest - 1) {
      const auto other = static_cast<std::uint32_t>(std::countr_zero(rest));
      const OnfiCommand& a = *queues.lanes[other].first;
      const OnfiCommand& b = *queues.lanes[best].first;
      if (a.tag < b.tag || (a.tag == b.tag && a.at.queued < b.at.queued)) best = other;
    }
    return best;
  }

  void arrived(std::uint32_t die, OnfiCommand& command, bool idle) override {
    Clock& clock = clock_of(die, command);
    if (idle) clock.now = std::max(clock.now, clock.last);
    const std::uint32_t flow = flow_of(command);
    command.tag = std::max(clock.now, clock.finish[flow]);
    const auto service = service_[static_cast<std::size_t>(command.operation)];
    clock.finish[flow] = command.tag + (flow < kHostFlows ? service : of_device(service));
    clock.last = std::max(clock.last, clock.finish[flow]);
  }
  void started(std::uint32_t die, const OnfiCommand& command) override {
    Clock& clock = clock_of(die, command);
    clock.now = std::max(clock.now, command.tag);
  }

 private:
  struct Clock {
    std::uint64_t now = 0;   // virtual time: start tag of what was begun last
    std::uint64_t last = 0;  // highest finish tag
    std::array<std::uint64_t, kFlows> finish{};
  };

  // Reads with precedence and all other commands have separate clocks.
  Clock& clock_of(std::uint32_t die, const OnfiCommand& command) {
    const bool apart = read_bound_ != 0 && lane(command.operation, command.origin) >= kHostWrites;
    return dies_[die][apart ? 1 : 0];
  }

  // Lanes with precedence, unless another one has been passed too often: then the others.
  std::uint32_t candidates_of(const DieQueues& queues) const {
    constexpr std::uint32_t kBeforeWrites = (1U << kHostWrites) - 1;
    const std::uint32_t reads = queues.waiting & kBeforeWrites;
    if (read_bound_ == 0 || reads == 0) return queues.waiting;
    std::uint32_t overdue = 0;
    for (std::uint32_t rest = queues.waiting & ~kBeforeWrites; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (queues.lanes[lane].passed >= read_bound_) overdue |= 1U << lane;
    }
    return overdue != 0 ? overdue : reads;
  }

  std::uint32_t flow_of(const OnfiCommand& command) const {
    switch (lane(command.operation, command.origin)) {
      case kMap:
        return kHostFlows;
      case kGc:
        return kHostFlows + 1;
      case kWear:
        return kHostFlows + 2;
      default:
        return std::min(command.flow, kNoFlow);
    }
  }
  std::uint64_t of_device(Picoseconds service) const {
    return static_cast<std::uint64_t>(static_cast<double>(service) / device_weight_);
  }

  std::array<Picoseconds, kFlashOperations> service_;
  double device_weight_;
  std::uint32_t read_bound_;
  std::vector<std::array<Clock, 2>> dies_;
};

const Registration<Arbitration> registration{
    {.name = "fair",
     .summary = "equal shares of a die's time for the host's jobs: start-time fair queueing",
     .source = "Goyal, Vin, Cheng, SIGCOMM 1996; SFQ(D), SIGMETRICS 2004; the aim is that of FLIN (ISCA 2018)",
     .parameters = {{.name = "device_weight",
                     .default_value = 1.0,
                     .minimum = 0.01,
                     .maximum = 100,
                     .choices = {},
                     .help = "share of the map, of garbage collection and of wear levelling, each, beside 1 of a job"},
                    {.name = "read_bound",
                     .default_value = std::int64_t{8},
                     .minimum = 0,
                     .maximum = 1'000'000,
                     .choices = {},
                     .help = "reads of a die that may pass a waiting program or erase; then it goes (0: reads have no "
                             "precedence)"}}},
    [](const ArbitrationContext& context, const ParameterValues& values) {
      return std::make_unique<Fair>(context, values.get<double>("device_weight"),
                                    static_cast<std::uint32_t>(values.get<std::int64_t>("read_bound")));
    }};

}  // namespace
}  // namespace flashloom::arbitration::fair
