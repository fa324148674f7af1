#include "controllers/nvme/feature_commands.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "controllers/nvme/admin_commands.hpp"
#include "controllers/nvme/data_placement.hpp"
#include "controllers/nvme/events.hpp"
#include "controllers/nvme/identify.hpp"
#include "controllers/nvme/little_endian.hpp"
#include "controllers/nvme/log_pages.hpp"
#include "controllers/runtime/until.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kSave = 1U << 31U;
constexpr std::uint32_t kTimestampBytes = 8;
constexpr std::uint64_t kTimestampMask = (std::uint64_t{1} << 48U) - 1;
constexpr Picoseconds kCoalescingUnit = 100 * kMicrosecond;
constexpr std::uint32_t kNoBurstLimit = 7;  // of Arbitration Burst, a power of two
constexpr std::uint32_t kUnderThreshold = 1U << 4U;

std::uint32_t coalescing(std::uint32_t threshold, Picoseconds time) {
  return std::min<std::uint32_t>(threshold - 1, 255) |
         static_cast<std::uint32_t>(std::min<Picoseconds>(time / kCoalescingUnit, 255)) << 8U;
}

std::uint32_t arbitration_value(const HostProtocol::Arbitration& arbitration) {
  const auto weight = [](std::uint32_t value) { return (value == 0 ? 0 : value - 1) & 0xffU; };
  const std::uint32_t burst =
      arbitration.burst == 0 ? kNoBurstLimit : static_cast<std::uint32_t>(std::countr_zero(arbitration.burst));
  return burst | weight(arbitration.low) << 8U | weight(arbitration.medium) << 16U | weight(arbitration.high) << 24U;
}

// What of a feature the command means: a namespace, a vector, a sensor's threshold; 0 where there is only one.
std::uint32_t subject(const Entry& entry, std::uint8_t feature) {
  switch (feature) {
    case kTemperatureThreshold:
      return (entry.dword11 >> 16U & 0xfU) | (entry.dword11 >> 20U & 3U) << 4U;
    case kErrorRecovery:
      return entry.name_space;
    case kVectorConfiguration:
      return entry.dword11 & 0xffffU;
    default:
      return 0;
  }
}

}  // namespace

FeatureCommands::FeatureCommands(ControllerParts& parts) : parts_(parts), host_memory_(parts) {
  Features& features = parts.features;
  const NvmeDevice& device = parts.device;
  const Features::Traits kept{.saveable = true};
  features.declare(kArbitration, kept, arbitration_value(device.arbitration()));
  features.declare(kPowerManagement, kept, device.power_state());
  features.declare(kTemperatureThreshold, kept, kWarningTemperature);
  features.declare(kTemperatureThreshold, kept, 0, kUnderThreshold);
  for (std::uint32_t number = 1; number <= parts.namespaces.most(); ++number)
    features.declare(kErrorRecovery, {.saveable = true, .of_namespace = true}, 0, number);
  if (device.volatile_cache()) features.declare(kVolatileWriteCache, kept, 1);
  const std::uint32_t queues = device.queues() - 1;
  features.declare(kNumberOfQueues, {}, queues | queues << 16U);
  features.declare(kInterruptCoalescing, kept, coalescing(device.aggregate(), device.aggregate_time()));
  for (std::uint32_t vector = 0; vector < parts.interrupts.count(); ++vector)
    features.declare(kVectorConfiguration, {}, vector == 0 ? 1U << 16U : 0, vector);  // the admin queue's is alone
  features.declare(kWriteAtomicity, kept, 0);
  features.declare(kEventConfiguration, kept, 0);
  if (device.host_memory().preferred != 0) features.declare(kHostMemoryBuffer, {}, 0);
  features.declare(kTimestamp, {}, 0);
  features.declare(kKeepAliveTimer, {}, 0);
  if (device.zones().present()) features.declare(kCommandSetProfile, kept, 0);  // which combination of command sets
  features.declare(kSoftwareProgress, kept, 0);
  if (FdpEvents* const events = device.fdp_events()) {
    features.declare(kFlexibleDataPlacement, {}, 1);
    features.declare(kFdpEventsFeature, {.of_namespace = true}, 0);
    events->disable_all();
  }
}

void FeatureCommands::reset() {
  queues_created_ = false;
  parts_.features.reset();
  for (const Feature feature : {kArbitration, kInterruptCoalescing}) take_effect(feature, 0);
  for (std::uint32_t vector = 0; vector < parts_.interrupts.count(); ++vector)
    take_effect(kVectorConfiguration, vector);
}

void FeatureCommands::power_on() {
  timestamp_ = 0;
  timestamp_of_host_ = false;
  timestamp_set_ = kernel_now();
  tell_time();
}

// To those who log when things happen.
void FeatureCommands::tell_time() {
  if (FdpEvents* const events = parts_.device.fdp_events())
    events->set_clock({.milliseconds = timestamp_, .set = timestamp_set_, .of_host = timestamp_of_host_});
}

Status FeatureCommands::check(std::uint8_t feature, std::uint32_t of, std::uint32_t value) const {
  switch (feature) {
    case kPowerManagement: {
      const std::vector<PowerStateConfig>& states = parts_.device.power_states();
      const std::uint32_t state = value & 0x1fU;
      if (states.empty() ? state != 0 : state >= states.size()) return Status::InvalidField;
      return state == parts_.device.power_state() ? Status::Success : Status::NotChangeable;
    }
    case kNumberOfQueues:
      if (queues_created_) return Status::SequenceError;
      return (value & 0xffffU) == 0xffffU || value >> 16U == 0xffffU ? Status::InvalidField : Status::Success;
    case kCommandSetProfile:
      return (value & 0x1ffU) == 0 ? Status::Success : Status::CommandSetCombinationRejected;  // there is one
    case kTemperatureThreshold:
      return (of & 0xfU) == 0 && of <= kUnderThreshold ? Status::Success : Status::InvalidField;
    default:
      return Status::Success;
  }
}

void FeatureCommands::take_effect(std::uint8_t feature, std::uint32_t of) {
  const std::uint32_t value = parts_.features.current(feature, of);
  switch (feature) {
    case kArbitration: {
      const std::uint32_t burst = value & 7U;
      parts_.arbitration.burst = burst == kNoBurstLimit ? 0 : 1U << burst;
      parts_.arbitration.low = (value >> 8U & 0xffU) + 1;
      parts_.arbitration.medium = (value >> 16U & 0xffU) + 1;
      parts_.arbitration.high = (value >> 24U) + 1;
      return parts_.device.arbitrate(parts_.arbitration);
    }
    case kInterruptCoalescing:
      return parts_.interrupts.aggregate((value & 0xffU) + 1, (value >> 8U & 0xffU) * kCoalescingUnit);
    case kVectorConfiguration:
      return parts_.interrupts.set_aggregated(of, (value >> 16U & 1U) == 0);
    case kKeepAliveTimer:
      kept_alive();
      if (value != 0) parts_.runtime.spawn([this, value] { return watch(value); });
      return;
    case kTemperatureThreshold:
    case kEventConfiguration:
      return parts_.health_may_have_changed();
    default:
      return;
  }
}

// Ends when the timer is set anew, and by a reset.
Task<void> FeatureCommands::watch(std::uint32_t milliseconds) {
  for (;;) {
    const Picoseconds until = heard_at_ + milliseconds * kMillisecond;
    co_await Until(parts_.timers, until);
    if (parts_.features.current(kKeepAliveTimer) != milliseconds) co_return;
    if (heard_at_ + milliseconds * kMillisecond <= kernel_now()) break;
  }
  on_silence_();
}

Task<Status> FeatureCommands::set(NvmeCommand& command) {
  const Entry& entry = command.entry;
  const auto feature = static_cast<std::uint8_t>(entry.dword10);
  const bool save = (entry.dword10 & kSave) != 0;
  Features& features = parts_.features;
  if (!features.knows_any(feature)) co_return Status::InvalidField;
  const Features::Traits traits = features.traits(feature);
  if (save && !traits.saveable) co_return Status::NotSaveable;
  if (!traits.of_namespace && entry.name_space != 0 && entry.name_space != kAllNamespaces)
    co_return Status::NotNamespaceSpecific;
  if (feature == kTimestamp) co_return co_await set_timestamp(command);
  if (feature == kHostMemoryBuffer) co_return co_await host_memory_.set(command);
  if (feature == kFlexibleDataPlacement) co_return set_placement_feature(parts_, entry);
  if (feature == kFdpEventsFeature) {  // handles are shared by all namespaces
    if (entry.name_space != kAllNamespaces && parts_.namespaces.active(entry.name_space) == nullptr)
      co_return Status::InvalidNamespace;
    co_return co_await set_fdp_events(parts_, command);
  }
  const std::uint32_t of = subject(entry, feature);
  std::uint32_t value = entry.dword11;
  if (traits.of_namespace && of == kAllNamespaces) {
    for (std::uint32_t number = 1; number <= parts_.namespaces.most(); ++number)
      features.set(feature, number, value, save);
    co_return Status::Success;
  }
  if (traits.of_namespace && parts_.namespaces.active(of) == nullptr) co_return Status::InvalidNamespace;
  if (!features.knows(feature, of)) co_return Status::InvalidField;
  if (const Status status = check(feature, of, value); status != Status::Success) co_return status;
  if (feature == kNumberOfQueues) {
    // As many as there are, whatever the host asks for; each of the two numbers is 0's based.
    const std::uint32_t most = parts_.device.queues() - 1;
    value = command.result = most | most << 16U;
  }
  if (feature == kTemperatureThreshold) value &= 0xffffU;
  if (feature == kVolatileWriteCache || feature == kWriteAtomicity) value &= 1U;
  features.set(feature, of, value, save);
  take_effect(feature, of);
  co_return Status::Success;
}

Task<Status> FeatureCommands::get(NvmeCommand& command) {
  const Entry& entry = command.entry;
  const auto feature = static_cast<std::uint8_t>(entry.dword10);
  const std::uint32_t select = entry.dword10 >> 8U & 7U;
  const Features& features = parts_.features;
  if (!features.knows_any(feature) || select > 3) co_return Status::InvalidField;
  if (feature == kTimestamp && select != 3) co_return co_await get_timestamp(command);
  if (feature == kHostMemoryBuffer && select == 0) {
    command.result = host_memory_.value();
    co_return co_await host_memory_.get(command);
  }
  if (feature == kFlexibleDataPlacement && select != 3) co_return get_placement_feature(command);
  if (feature == kFdpEventsFeature && select != 3) {
    if (parts_.namespaces.active(entry.name_space) == nullptr) co_return Status::InvalidNamespace;
    co_return co_await get_fdp_events(parts_, command);
  }
  const std::uint32_t of = subject(entry, feature);
  if (features.traits(feature).of_namespace && select != 3 && parts_.namespaces.active(of) == nullptr)
    co_return Status::InvalidNamespace;
  if (!features.knows(feature, of) && select != 3) co_return Status::InvalidField;
  command.result =
      features.knows(feature, of) ? features.selected(feature, of, select) : features.capabilities(feature);
  if (feature == kVectorConfiguration && select != 3) command.result |= of;
  co_return Status::Success;
}

Task<Status> FeatureCommands::set_timestamp(NvmeCommand& command) {
  const Status status = co_await receive_data(parts_, command, kTimestampBytes);
  if (status != Status::Success) co_return status;
  timestamp_ = get_field<std::uint64_t>(command.data, 0) & kTimestampMask;
  timestamp_set_ = kernel_now();
  timestamp_of_host_ = true;
  tell_time();
  co_return Status::Success;
}

// The time that the host has set, or 0 at power-on; and the time since then.
Task<Status> FeatureCommands::get_timestamp(NvmeCommand& command) {
  command.take_buffer(kTimestampBytes);
  const std::uint64_t now = (timestamp_ + (kernel_now() - timestamp_set_) / kMillisecond) & kTimestampMask;
  put(command.data, 0, now | std::uint64_t{timestamp_of_host_ ? 1U : 0U} << 49U);
  co_return co_await send_data(parts_, command, kTimestampBytes);
}

}  // namespace flashloom::nvme
