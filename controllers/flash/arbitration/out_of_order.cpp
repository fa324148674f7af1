// Out of order, by what waits for the command: a host read first, then the map that it needs, host writes, garbage
// collection, wear levelling and scrubbing. The queues by origin of MQSim's transaction scheduling unit (user, GC and
// mapping reads and writes; Tavakkol et al., FAST '18) and the starvation control of out-of-order flash controllers
// (Nam et al., Ozone, IEEE Trans. Computers 2011). The ranks are parameters; the bounds are additions of this model.
#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "controllers/flash/arbitration.hpp"
#include "controllers/flash/arbitration/command_class.hpp"
#include "policies/registry.hpp"

namespace flashloom::arbitration::out_of_order {
namespace {

constexpr std::uint32_t kRanks = 8;
static_assert(kRanks <= kLanes);

struct Ranks {
  std::uint32_t host_read, map, host_write, gc, wear;
};

class OutOfOrder final : public Arbitration {
 public:
  OutOfOrder(const Ranks& ranks, std::uint32_t bound, Picoseconds max_wait)
      : ranks_(ranks), bound_(bound), max_wait_(max_wait) {}

  std::uint32_t lane(FlashOperation operation, Origin origin) const override {
    switch (class_of(operation, origin)) {
      case CommandClass::HostRead:
        return ranks_.host_read;
      case CommandClass::Map:
        return ranks_.map;
      case CommandClass::HostWrite:
        return ranks_.host_write;
      case CommandClass::Gc:
        return ranks_.gc;
      case CommandClass::Wear:
        break;
    }
    return ranks_.wear;
  }

  // The lowest lane, unless the first of another one has been passed too often or has waited too long: then the oldest
  // of those.
  std::uint32_t choose(const DieQueues& queues) const override {
    std::uint32_t oldest = kLanes;
    for (std::uint32_t rest = queues.waiting; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const ArbitrationLane& waiting = queues.lanes[lane];
      const bool overdue =
          waiting.passed >= bound_ || (max_wait_ != 0 && queues.now - waiting.first->at.queued >= max_wait_);
      if (overdue && (oldest == kLanes || waiting.first->at.queued < queues.lanes[oldest].first->at.queued))
        oldest = lane;
    }
    return oldest != kLanes ? oldest : static_cast<std::uint32_t>(std::countr_zero(queues.waiting));
  }

  bool suspends(std::uint32_t running, std::uint32_t waiting) const override { return waiting < running; }
  bool orders_bus() const override { return true; }

 private:
  Ranks ranks_;
  std::uint32_t bound_;
  Picoseconds max_wait_;
};

ParameterSpec rank(const char* name, std::int64_t value, const char* help) {
  return {.name = name,
          .default_value = value,
          .dimension = Dimension::None,
          .minimum = 0,
          .maximum = kRanks - 1,
          .choices = {},
          .help = help};
}

const Registration<Arbitration> registration{
    {.name = "out_of_order",
     .summary = "by origin: host reads, map, host writes, GC, wear; with starvation bounds",
     .source = "queues by origin of MQSim (Tavakkol et al., FAST 2018); Nam et al., Ozone, IEEE Trans. Computers 2011",
     .parameters = {rank("host_read", 0, "rank of host reads; equal ranks are served in order of arrival"),
                    rank("map", 1, "rank of mapping and recovery operations"),
                    rank("host_write", 2, "rank of host programs, and of reads that complete partly written units"),
                    rank("gc", 3, "rank of garbage collection and merges"),
                    rank("wear", 4, "rank of wear levelling and scrubbing"),
                    {.name = "bound",
                     .default_value = std::int64_t{64},
                     .dimension = Dimension::None,
                     .minimum = 1,
                     .maximum = 1'000'000,
                     .choices = {},
                     .help = "commands of a die that may pass the first one of a lane; then it goes"},
                    {.name = "max_wait",
                     .default_value = std::int64_t{0},
                     .dimension = Dimension::Time,
                     .minimum = 0,
                     .maximum = 1e15,
                     .choices = {},
                     .help = "a command that has waited so long goes next; 0 s: no bound in time"}}},
    [](const ArbitrationContext&, const ParameterValues& values) {
      const auto number = [&values](const char* name) {
        return static_cast<std::uint32_t>(values.get<std::int64_t>(name));
      };
      const Ranks ranks{.host_read = number("host_read"),
                        .map = number("map"),
                        .host_write = number("host_write"),
                        .gc = number("gc"),
                        .wear = number("wear")};
      return std::make_unique<OutOfOrder>(ranks, number("bound"),
                                          static_cast<Picoseconds>(values.get<std::int64_t>("max_wait")));
    }};

}  // namespace
}  // namespace flashloom::arbitration::out_of_order
