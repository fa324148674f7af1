// Reads before programs and erases, but not for ever. A host waits for a read, and it takes a tenth of a program's
// time; writes are acknowledged from the buffer. So NVMe and SATA controllers serve reads first within a die and bound
// how often a write may be passed (for example the out-of-order transaction scheduling unit of MQSim, FAST '18, which
// always prefers reads; the bound is ours, against starvation).
#include <memory>

#include "controllers/flash/arbitration.hpp"
#include "policies/registry.hpp"

namespace flashloom::arbitration::read_first {
namespace {

constexpr std::uint32_t kReads = 0;
constexpr std::uint32_t kWrites = 1;

class ReadFirst final : public Arbitration {
 public:
  explicit ReadFirst(std::uint32_t bound) : bound_(bound) {}

  std::uint32_t lane(FlashOperation operation, Origin) const override {
    return operation == FlashOperation::Read ? kReads : kWrites;
  }
  std::uint32_t choose(const DieQueues& queues) const override {
    return queues.lanes[kWrites].passed < bound_ ? kReads : kWrites;
  }
  bool suspends(std::uint32_t, std::uint32_t waiting) const override { return waiting == kReads; }

 private:
  std::uint32_t bound_;
};

const Registration<Arbitration> registration{
    {.name = "read_first",
     .summary = "reads before programs and erases, with a starvation bound",
     .source = "transaction scheduling of MQSim (Tavakkol et al., FAST 2018), with a bound added",
     .parameters = {{.name = "bound",
                     .default_value = std::int64_t{8},
                     .dimension = Dimension::None,
                     .minimum = 0,
                     .maximum = 1'000'000,
                     .choices = {},
                     .help =
                         "reads of a die that may pass a waiting program or erase; then it goes (0: writes first)"}}},
    [](const ArbitrationContext&, const ParameterValues& values) {
      return std::make_unique<ReadFirst>(static_cast<std::uint32_t>(values.get<std::int64_t>("bound")));
    }};

}  // namespace
}  // namespace flashloom::arbitration::read_first
