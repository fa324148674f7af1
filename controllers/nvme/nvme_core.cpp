#include "controllers/nvme/nvme_core.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "controllers/nvme/identify.hpp"
#include "controllers/nvme/log_pages.hpp"

namespace flashloom {
namespace {

using nvme::Status;

enum Register : std::uint32_t {
  kCapLow = 0x00,
  kCapHigh = 0x04,
  kVs = 0x08,
  kIntms = 0x0c,
  kIntmc = 0x10,
  kCc = 0x14,
  kCsts = 0x1c,
  kNssr = 0x20,
  kAqa = 0x24,
  kAsqLow = 0x28,
  kAsqHigh = 0x2c,
  kAcqLow = 0x30,
  kAcqHigh = 0x34,
};

constexpr std::uint32_t kDoorbells = 0x1000;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLeastBar = 16384;
constexpr std::uint32_t kMostPageShift = 4;  // MPSMAX: 64 KiB
constexpr std::uint32_t kTimeout = 60;       // CAP.TO, 500 ms: mounting after a power cut takes its time
constexpr std::uint32_t kOnes = 0xffffffff;

constexpr std::uint32_t kEnable = 1;  // of CC
constexpr std::uint32_t kCcWritable = 0x00fffff1;
constexpr std::uint32_t kWeighted = 1;      // AMS
constexpr std::uint32_t kAllSupported = 6;  // CSS: all I/O command sets that the controller has

constexpr std::uint32_t kNvmCommands = 1U << 5U;      // CAP.CSS, of the upper half
constexpr std::uint32_t kAllCommandSets = 1U << 11U;  // CAP.CSS: it has others, too

constexpr std::uint32_t kReady = 1;  // of CSTS
constexpr std::uint32_t kFatal = 1U << 1U;
constexpr std::uint32_t kShuttingDown = 1U << 2U;
constexpr std::uint32_t kShutDown = 2U << 2U;
constexpr std::uint32_t kShutdownMask = 3U << 2U;
constexpr std::uint32_t kWarnings = 0xff;  // of the event configuration

void replace_half(std::uint64_t& value, bool high, std::uint32_t half) {
  const std::uint64_t mask = 0xffffffff;
  value = high ? (value & mask) | std::uint64_t{half} << 32U : (value & ~mask) | half;
}

}  // namespace

NvmeController::Core::Layout NvmeController::Core::layout(const NvmeConfig& config, std::uint32_t queues) {
  const auto whole_pages = [](std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; };
  const std::uint64_t doorbells = std::uint64_t{2} * (queues + 1) * (std::uint64_t{4} << config.doorbell_stride);
  const std::uint64_t table = kDoorbells + whole_pages(doorbells);
  const std::uint64_t pending = table + whole_pages(std::uint64_t{queues + 1} * nvme::InterruptVectors::kTableEntry);
  const std::uint64_t end = pending + whole_pages((queues + 64) / 64 * 8);
  return {static_cast<std::uint32_t>(table), static_cast<std::uint32_t>(pending),
          std::max(kLeastBar, std::bit_ceil(end))};
}

NvmeController::Core::Core(const NvmeConfig& config, NvmeDevice& device, HostDriver& host, std::uint32_t job)
    : config_(config),
      device_(device),
      host_(host),
      job_(job),
      layout_(layout(config, device.queues())),
      bar_bytes_(layout_.bytes),
      timers_("timers"),
      changes_("changes"),
      pci_({.bar_bytes = layout_.bytes,
            .vectors = device.queues() + 1,
            .table_first = layout_.table,
            .pending_first = layout_.pending}),
      dma_(timers_),
      interrupts_(device.queues() + 1, device.message_time(), pci_, dma_, runtime_, timers_),
      queues_(device.queues(), *this, dma_, interrupts_, runtime_, life_.busy),
      namespaces_(config.namespaces, device.capacity_bytes(), device.unit_bytes(), device.namespaces()),
      errors_(life_),
      events_(queues_, runtime_),
      parts_{.config = config,
             .device = device,
             .runtime = runtime_,
             .timers = timers_,
             .dma = dma_,
             .interrupts = interrupts_,
             .namespaces = namespaces_,
             .queues = queues_,
             .features = features_,
             .events = events_,
             .errors = errors_,
             .life = life_,
             .changed_zones = changed_zones_,
             .max_entries = std::clamp<std::uint32_t>(device.queue_depth(), 2, 65536),
             .arbitration = device.arbitration(),
             .formatted = [this](std::uint32_t number) { self_test_.formatted(number); },
             .health_may_have_changed = [this] { look_at_health(); }},
      self_test_(parts_),
      feature_commands_(parts_),
      admin_(parts_, feature_commands_, self_test_),
      io_(parts_) {
  parts_.self_test = &self_test_;
  feature_commands_.on_silence([this] {
    errors_.add(0, Status::InternalError);
    fail();
  });
}

NvmeController::Core::~Core() { runtime_.destroy_frames(); }

tlm::tlm_response_status NvmeController::Core::access_bar(tlm::tlm_generic_payload& payload) {
  const std::uint64_t offset = payload.get_address();
  const std::uint32_t bytes = payload.get_data_length();
  if (offset >= bar_bytes_ || bytes > bar_bytes_ - offset) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if ((bytes != 4 && bytes != 8) || offset % bytes != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  const bool answers = powered_ && pci_.answers();
  for (std::uint32_t at = 0; at < bytes; at += 4) {
    unsigned char* const data = payload.get_data_ptr() + at;
    const auto half = static_cast<std::uint32_t>(offset + at);
    std::uint32_t value = kOnes;
    if (payload.is_read()) {
      if (answers) value = read_register(half);
      std::memcpy(data, &value, sizeof value);
    } else if (answers) {
      std::memcpy(&value, data, sizeof value);
      write_register(half, value);
    }
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status NvmeController::Core::access_configuration(tlm::tlm_generic_payload& payload) {
  const std::uint64_t offset = payload.get_address();
  const std::uint32_t bytes = payload.get_data_length();
  if (offset >= nvme::PciConfiguration::kSpace || bytes > nvme::PciConfiguration::kSpace - offset)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (bytes > 8 || !std::has_single_bit(bytes) || offset % bytes != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  auto* const data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  if (payload.is_read()) {
    if (powered_)
      pci_.read(static_cast<std::uint32_t>(offset), data, bytes);
    else
      std::fill_n(data, bytes, std::byte{0xff});
  } else if (powered_) {
    if (pci_.write(static_cast<std::uint32_t>(offset), data, bytes)) function_reset();
    dma_.allow(pci_.bus_master());
    interrupts_.configuration_written();
  }
  return tlm::TLM_OK_RESPONSE;
}

std::uint32_t NvmeController::Core::read_register(std::uint32_t offset) const {
  if (offset >= layout_.pending && offset < layout_.pending + interrupts_.pending_bytes())
    return interrupts_.read_pending(offset - layout_.pending);
  if (offset >= layout_.table && offset < layout_.table + interrupts_.table_bytes())
    return interrupts_.read_table(offset - layout_.table);
  switch (offset) {
    case kCapLow:
      // MQES, queues must be contiguous, arbitration by weight, time until it is ready
      return (parts_.max_entries - 1) | 1U << 16U | (device_.weighted_arbitration() ? 1U << 17U : 0U) | kTimeout << 24U;
    case kCapHigh:
      return config_.doorbell_stride | kNvmCommands | (device_.zones().present() ? kAllCommandSets : 0U) |
             kMostPageShift << 20U;
    case kVs:
      return nvme::kVersion;
    case kIntms:
    case kIntmc:
      return masked_;
    case kCc:
      return cc_;
    case kCsts:
      return csts_;
    case kAqa:
      return aqa_;
    case kAsqLow:
    case kAsqHigh:
      return static_cast<std::uint32_t>(asq_ >> (offset == kAsqHigh ? 32U : 0U));
    case kAcqLow:
    case kAcqHigh:
      return static_cast<std::uint32_t>(acq_ >> (offset == kAcqHigh ? 32U : 0U));
    default:
      return 0;  // reserved, and doorbells
  }
}

void NvmeController::Core::write_register(std::uint32_t offset, std::uint32_t value) {
  if (offset >= kDoorbells && offset < layout_.table) return ring(offset - kDoorbells, value);
  if (offset >= layout_.table && offset < layout_.table + interrupts_.table_bytes())
    return interrupts_.write_table(offset - layout_.table, value);
  switch (offset) {
    case kIntms:
      masked_ |= value;
      return;
    case kIntmc:
      masked_ &= ~value;
      return;
    case kCc:
      return write_configuration(value & kCcWritable);
    default:
      break;
  }
  if ((cc_ & kEnable) != 0) return;  // the rest holds while the controller is enabled
  switch (offset) {
    case kAqa:
      aqa_ = value & 0x0fff0fffU;
      return;
    case kAsqLow:
    case kAsqHigh:
      replace_half(asq_, offset == kAsqHigh, value);
      asq_ &= ~(kPage - 1);
      return;
    case kAcqLow:
    case kAcqHigh:
      replace_half(acq_, offset == kAcqHigh, value);
      acq_ &= ~(kPage - 1);
      return;
    default:
      return;  // read-only, or reserved
  }
}

void NvmeController::Core::write_configuration(std::uint32_t value) {
  const std::uint32_t shutdown = value >> 14U & 3U;
  const bool notified = shutdown != 0 && shutdown != (cc_ >> 14U & 3U);
  cc_ = value;
  if (((cc_ & kEnable) != 0) != enabled_ && !change_due_) {
    if (runtime_.running() || dma_.asking()) {
      change_due_ = true;
      changes_.schedule(change_, kernel_now());
    } else {
      settle();
    }
  }
  if (notified) shut_down(shutdown == 1);
}

// Puts the present value of CC.EN into effect.
void NvmeController::Core::settle() {
  change_due_ = false;
  if (!powered_) return;
  if (enabled_) reset();  // even if it was disabled and is enabled again: the host has wanted one
  if ((cc_ & kEnable) != 0) enable();
}

void NvmeController::Core::enable() {
  enabled_ = true;
  const std::uint32_t page_shift = cc_ >> 7U & 0xfU;
  const std::uint32_t arbitration = cc_ >> 11U & 7U;
  const bool weighted = arbitration == kWeighted;
  const std::uint32_t sq_size = (aqa_ & 0xfffU) + 1;
  const std::uint32_t cq_size = (aqa_ >> 16U & 0xfffU) + 1;
  const std::uint32_t command_sets = cc_ >> 4U & 7U;
  const bool zoned = device_.zones().present();
  // The command sets, page size, arbitration and queues must be such as CAP says.
  const bool chooses_well = command_sets == 0 || (zoned && command_sets == kAllSupported);
  if (!chooses_well || page_shift > kMostPageShift || arbitration > kWeighted ||
      (weighted && !device_.weighted_arbitration()) || sq_size < 2 || cq_size < 2)
    return fail();
  parts_.page_bytes = static_cast<std::uint32_t>(kPage) << page_shift;
  parts_.arbitration.weighted = weighted;
  namespaces_.choose(!zoned || command_sets == kAllSupported);
  feature_commands_.reset();
  queues_.create(queues_.completion(0), acq_, cq_size, true, 0);
  queues_.create(queues_.submission(0), asq_, sq_size, 0);
  if (device_.ready()) get_ready();
}

void NvmeController::Core::get_ready() {
  csts_ |= kReady;
  warned_ = 0;
  look_at_health();
  self_test_.go_on();
}

// Reports new critical warnings by an event, if the host has enabled it.
void NvmeController::Core::look_at_health() {
  const std::uint8_t warning = nvme::critical_warning(parts_, device_.health());
  const unsigned fresh = warning & ~unsigned{warned_} & features_.current(nvme::kEventConfiguration) & kWarnings;
  warned_ = static_cast<std::uint8_t>((warned_ & warning) | fresh);
  if ((fresh & 1U) != 0) events_.happened(nvme::EventType::Health, nvme::kSpareBelow, nvme::kHealthLog);
  if ((fresh & 2U) != 0) events_.happened(nvme::EventType::Health, nvme::kTemperature, nvme::kHealthLog);
  if (fresh > 3) events_.happened(nvme::EventType::Health, nvme::kReliability, nvme::kHealthLog);
}

void NvmeController::Core::device_ready() {
  if (powered_ && enabled_ && (csts_ & (kFatal | kReady)) == 0) get_ready();
}

// Drops the volatile state of the controller; the device continues its commands, whose completions are ignored.
void NvmeController::Core::forget() {
  dma_.drop_all();
  runtime_.destroy_frames();
  timers_.cancel_all();
  queues_.reset();
  events_.reset();
  io_.reset();
  self_test_.reset();
  feature_commands_.forget();
  interrupts_.forget();
  changed_zones_.forget();
  enabled_ = false;
  csts_ = 0;
}

void NvmeController::Core::reset() {
  forget();
  features_.reset();
  namespaces_.forget_changes();
}

void NvmeController::Core::fail() { csts_ |= kFatal; }

void NvmeController::Core::shut_down(bool orderly) {
  if ((csts_ & kShutdownMask) != 0) return;
  if (!orderly || !enabled_ || (csts_ & kReady) == 0) {
    csts_ |= kShutDown;
    return;
  }
  csts_ |= kShuttingDown;
  runtime_.spawn([this] { return flush_and_stop(); });
}

Task<void> NvmeController::Core::flush_and_stop() {
  nvme::NvmeCommand& command = queues_.take();
  nvme::prepare(command, IoOperation::Flush, 0, 0);
  co_await queues_.send(command);
  queues_.release(command);
  csts_ = (csts_ & ~kShutdownMask) | kShutDown;
}

void NvmeController::Core::power_cut() {
  if (!powered_) return;
  powered_ = false;
  if ((csts_ & kShutdownMask) != kShutDown) ++life_.unsafe_shutdowns;
  life_.powered += parts_.powered_for();
  clear();
  errors_.reset();
}

// All that lives in registers and PCI configuration is as it was at first.
void NvmeController::Core::clear() {
  forget();
  changes_.cancel_all();
  change_due_ = false;
  cc_ = aqa_ = masked_ = 0;
  asq_ = acq_ = 0;
  pci_.reset();
  dma_.allow(false);
  interrupts_.reset();
  features_.reset();
}

void NvmeController::Core::function_reset() {
  if (!powered_) return;
  clear();
  namespaces_.forget_changes();
}

NvmeController::Work NvmeController::Core::work() const {
  const bool interrupts = !interrupts_.idle();
  return {.io = queues_.io_under_way(),
          .interrupts = interrupts,
          .any = interrupts || change_due_ || !runtime_.quiescent()};
}

void NvmeController::Core::power_on() {
  if (powered_) return;
  powered_ = true;
  parts_.powered_since = kernel_now();
  ++life_.power_cycles;
  feature_commands_.power_on();
}

void NvmeController::Core::state(StateArchive& archive) {
  archive.part("nvme");
  if (!archive.loading()) {
    life_.powered += parts_.powered_for();
    parts_.powered_since = kernel_now();
  }
  archive(life_, namespaces_, features_, self_test_);
  if (FdpEvents* const events = parts_.device.fdp_events()) events->state_of_feature(archive);
}

void NvmeController::Core::ring(std::uint32_t offset, std::uint32_t value) {
  const std::uint32_t stride = 4U << config_.doorbell_stride;
  if (!enabled_ || (csts_ & (kReady | kFatal)) != kReady || offset % stride != 0) return;
  const std::uint32_t number = offset / stride;
  const std::uint32_t id = number / 2;
  const auto wrong = [this, id](std::uint8_t information) {
    errors_.add(static_cast<std::uint16_t>(id), Status::InvalidField);
    events_.happened(nvme::EventType::Error, information, nvme::kErrorLog);
  };
  const bool submits = number % 2 == 0;
  const bool exists =
      id < queues_.count() &&
      (submits ? queues_.submission(id).exists && !queues_.submission(id).deleting : queues_.completion(id).exists);
  if (!exists) return wrong(nvme::kInvalidDoorbellRegister);
  const bool valid = submits ? queues_.ring(queues_.submission(id), value & 0xffffU)
                             : queues_.ring(queues_.completion(id), value & 0xffffU);
  if (!valid) wrong(nvme::kInvalidDoorbellValue);
}

Task<Status> NvmeController::Core::serve(nvme::NvmeCommand& command) {
  return command.from->id == 0 ? admin_.serve(command) : io_.serve(command);
}

void NvmeController::Core::failed(const nvme::NvmeCommand& command, Status status) {
  if (status == Status::AbortRequested || status == Status::SqDeletion) return;
  errors_.add(command, status);
}

}  // namespace flashloom
