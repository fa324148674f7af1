#include "sc_main/stack/tier/tier_part.hpp"

#include <fmt/format.h>

#include "policies/registry.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/requirements.hpp"
#include "sc_main/assembly/config/stack_kind.hpp"
#include "sc_main/assembly/report/counters_json.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/stack/tier/tier_report.hpp"

namespace flashloom {
namespace {

std::uint64_t cache_bytes(const DeviceConfig& config) {
  const StackKind* const kind = cache_kind_of(config);
  return kind != nullptr ? kind->capacity_bytes(config) : capacity_bytes(config);
}

// Without a journal an array loses stripes whose parity a cut has left in doubt, when a drive fails.
bool loses_stripes(const ArrayConfig& array) {
  return array.has_parity() && array.journal != "write_ahead" && array.fail_at != 0;
}

TierShape tier_shape(const DeviceConfig& config) {
  return {.sector_bytes = config.host_interface.sector_size,
          .home_bytes = config.hdd.capacity,
          .cache_bytes = cache_bytes(config),
          .tokens = config.verify,
          .bit_errors = config.nand.errors.on() || loses_stripes(config.array),
          .unit_bytes = config.ftl.mapping_unit};
}

void check_tier(const DeviceConfig& config) {
  const TierConfig& tier = config.tier;
  check_config(config.hdd, config.host_interface.sector_size);
  require(!config.heap.present(), "hdd.capacity", "a heap swaps to an SSD alone; valid: 0 B, or no heap");
  check_config(tier);
  require(config.power.cut_count() == 0 || config.verify, "verify",
          "power cuts of a tier need verify = true: what a cut leaves of its metadata is found by contents");
  TierLayout layout;
  try {
    layout = tier_layout(tier, tier_shape(config));
  } catch (const UnknownPart& unknown) {  // a parameter of the policy names an unknown part
    throw ConfigProblem("tier.policy.replacement", {unknown.what()});
  }
  require(layout.segments != 0 && layout.slots != 0, "tier.segment",
          fmt::format("of {} there is not one beside the metadata on an HDD of {} and an SSD of {}",
                      bytes(tier.segment), bytes(config.hdd.capacity), bytes(cache_bytes(config))));
}

constexpr StackKind kTier = {.name = "tier",
                             .check = check_tier,
                             .capacity_bytes =
                                 [](const DeviceConfig& config) {
                                   return tier_layout(config.tier, tier_shape(config)).segments * config.tier.segment;
                                 },
                             .make = [](const DeviceConfig& config, Ssd& ssd) -> std::unique_ptr<StackPart> {
                               return std::make_unique<TierPart>(config, ssd);
                             },
                             .summary = tier_summary};
const RegisterStackKind registered_tier(kTier);

}  // namespace

TierPart::TierPart(const DeviceConfig& config, Ssd& ssd)
    : StackPart(ssd),
      config_(config),
      array_(cache_kind_of(config) != nullptr ? cache_kind_of(config)->make(config, ssd) : nullptr),
      hdd_("hdd", config.hdd, config.host_interface.sector_size, config.verify, ssd.ledger()),
      tier_("tier", config.tier, tier_shape(config), config.host.queues) {
  for (std::uint32_t queue = 0; queue < config.host.queues; ++queue)
    tier_.cache(queue).bind(array_ != nullptr ? array_->target(queue) : ssd.socket(queue));
  tier_.home().bind(hdd_.socket());
}

void TierPart::shape(Oracle::Shape& shape) const {
  shape.durable_writes = shape.durable_writes && !config_.hdd.write_cache;
  shape.durable_trims = false;
}

void TierPart::on_failure(std::function<void(std::exception_ptr)> handler) {
  if (array_ != nullptr) array_->on_failure(handler);
  tier_.on_failure(std::move(handler));
}

void TierPart::precondition(const std::function<void(const char*, double)>& progress) {
  if (array_ != nullptr) array_->precondition(progress);
}

void TierPart::state(StateArchive& archive) {
  if (array_ != nullptr) array_->state(archive);
}

void TierPart::begin() {
  if (array_ != nullptr) array_->begin();
}

void TierPart::on_step(std::function<void(std::size_t, const char*)> observer) {
  if (array_ != nullptr) array_->on_step(std::move(observer));
}

void TierPart::begin_window(Picoseconds at) {
  if (array_ != nullptr) array_->begin_window(at);
  tier_.reset_statistics();
  hdd_.reset_statistics();
}

// The array first: it copies what capacitors may still write from the memory of the tier's commands.
void TierPart::power_cut(Picoseconds off_time) {
  if (array_ != nullptr) array_->power_cut(off_time);
  tier_.power_cut();
  hdd_.power_cut(off_time);
}

void TierPart::power_on(std::function<void()> ready) {
  if (array_ == nullptr) return tier_.power_on(std::move(ready));
  array_->power_on([this, ready = std::move(ready)] { tier_.power_on(ready); });
}

void TierPart::report(const DeviceConfig& config, nlohmann::ordered_json& result) {
  result["tier"] = tier_json(tier_, config);
  result["hdd"] = counters_json(hdd_.statistics());
  if (array_ != nullptr) array_->report(config, result);
}

std::vector<std::pair<std::string, std::string>> TierPart::tables() {
  return {{"tier_passes.csv", tier_passes_csv(tier_)}};
}

IoStatus TierPart::peek_cache(std::uint64_t offset, std::uint64_t length, SectorToken* tokens) {
  if (array_ != nullptr) return array_->peek(offset, length, tokens);
  InstantHost host(ssd_.runtime(), ssd_.firmware(), config_.host_interface.sector_size, nullptr);
  return host.read({.offset = offset, .length = length, .kind = RequestKind::Read}, tokens);
}

// Reads every sector directly from the device (SSD or HDD) from which the tier would read it, so that no segment moves.
std::uint64_t TierPart::audit(Simulation& simulation) {
  constexpr std::uint64_t kReadLength = 128 << 10;
  Oracle& oracle = *simulation.oracle();
  const std::uint32_t sector = config_.host_interface.sector_size;
  const Tier& tier = *tier_.tier();
  std::vector<SectorToken> tokens;
  std::uint64_t sectors = 0;
  for (const auto& [offset, length] : oracle.touched_ranges(kReadLength)) {
    tokens.resize(length / sector);
    IoCommand command;
    command.offset = offset;
    command.length = length;
    command.tokens = tokens.data();
    oracle.submitted(command);
    for (std::uint64_t at = offset; at < offset + length;) {
      const auto segment = static_cast<Segment>(at / config_.tier.segment);
      std::uint64_t end = std::min(offset + length, (segment + std::uint64_t{1}) * config_.tier.segment);
      SectorToken* const into = tokens.data() + (at - offset) / sector;
      Slot slot = tier.serving_slot(segment, at, end - at);
      if (slot == kNoSlot && tier.map().slot_of(segment) != kNoSlot) {  // valid in part: sector by sector
        end = at + sector;
        slot = tier.serving_slot(segment, at, sector);
      }
      if (tier.lost(segment)) {
        command.status = IoStatus::MediaError;
      } else if (slot == kNoSlot) {
        hdd_.peek(at, end - at, into);
      } else {
        const std::uint64_t place = slot * config_.tier.segment + at % config_.tier.segment;
        if (peek_cache(place, end - at, into) != IoStatus::Ok) {
          if (ssd_.ecc() == nullptr && !reads_may_fail())
            throw SimulationFailure("the audit met a page that cannot be read, at offset " + std::to_string(at));
          if (tier.dirty(slot)) {
            simulation.note_unreadable((end - at) / sector);
            command.status = IoStatus::MediaError;
          } else {
            hdd_.peek(at, end - at, into);
          }
        }
      }
      at = end;
    }
    oracle.completed(command);
    sectors += length / sector;
  }
  if (array_ != nullptr) array_->check_peeked();
  return sectors;
}

}  // namespace flashloom
