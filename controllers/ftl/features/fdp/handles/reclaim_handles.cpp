#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"

#include <bit>

#include "models/nand/nand_geometry.hpp"
#include "policies/registry.hpp"

namespace flashloom {
namespace {

constexpr unsigned kIdentifierBits = 16;
constexpr std::uint32_t kUnitsInTurn = 16;

class ReclaimHandles final : public StreamPolicy {
 public:
  explicit ReclaimHandles(const FdpConfig& config) : config_(config) {}

  std::uint32_t count() const override { return config_.groups * config_.handles; }
  std::string name(std::uint32_t stream) const override {
    const std::string handle = "handle" + std::to_string(stream % config_.handles);
    return config_.groups == 1 ? handle : "group" + std::to_string(stream / config_.handles) + "." + handle;
  }
  std::uint32_t stream_of(std::uint32_t unit, StreamHint hint) override {
    if (hint.directive == kDataPlacementDirective)
      if (const auto stream = reclaim_stream(config_, hint.identifier)) return *stream;
    return default_reclaim_stream(config_, unit);
  }
  void state(StateArchive&) override {}

 private:
  const FdpConfig& config_;
};

// Shows the banks of a reclaim group as a separate device.
class GroupView final : public PlacementView {
 public:
  GroupView(const PlacementView& whole, std::uint32_t first_bank, std::uint32_t first_die)
      : whole_(whole), bank_(first_bank), die_(first_die) {}

  bool full(std::uint32_t bank) const override { return whole_.full(bank_ + bank); }
  bool open(std::uint32_t stream, std::uint32_t bank) const override { return whole_.open(stream, bank_ + bank); }
  std::uint64_t erases(std::uint32_t bank) const override { return whole_.erases(bank_ + bank); }
  std::uint32_t load(std::uint32_t die) const override { return whole_.load(die_ + die); }

 private:
  const PlacementView& whole_;
  std::uint32_t bank_;
  std::uint32_t die_;
};

PlacementContext context_of_group(const PlacementContext& whole, std::uint32_t dies, std::uint32_t group) {
  PlacementContext context = whole;
  const bool ways = dies % whole.channels == 0;
  context.channels = ways ? whole.channels : dies;
  context.ways = ways ? dies / whole.channels : 1;
  context.dies_per_way = 1;
  if (!whole.room.empty()) {
    const auto first = whole.room.begin() + static_cast<std::ptrdiff_t>(std::size_t{group} * context.banks());
    context.room.assign(first, first + static_cast<std::ptrdiff_t>(context.banks()));
  }
  return context;
}

class PlacementByGroup final : public PlacementPolicy {
 public:
  PlacementByGroup(const FtlConfig& config, const PlacementContext& context)
      : handles_(config.fdp.handles),
        dies_(context.dies() / config.fdp.groups),
        planes_(context.planes),
        whole_(Family<PlacementPolicy>::make(config.placement, context)) {
    for (std::uint32_t group = 0; group < config.fdp.groups; ++group)
      groups_.push_back(Family<PlacementPolicy>::make(config.placement, context_of_group(context, dies_, group)));
  }

  std::uint32_t next(const PlacementRequest& request, const PlacementView& view) override {
    const std::uint32_t group = request.stream / handles_;
    if (group >= groups_.size()) return whole_->next(request, view);
    const GroupView of_group(view, group * dies_ * planes_, group * dies_);
    for (std::uint32_t bank = 0; bank < dies_ * planes_; ++bank)
      if (!of_group.full(bank)) return group * dies_ * planes_ + groups_[group]->next(request, of_group);
    return whole_->next(request, view);
  }

  void state(StateArchive& archive) override {
    whole_->state(archive);
    for (const auto& group : groups_) group->state(archive);
  }

 private:
  std::uint32_t handles_;
  std::uint32_t dies_;  // of a group
  std::uint32_t planes_;
  std::unique_ptr<PlacementPolicy> whole_;
  std::vector<std::unique_ptr<PlacementPolicy>> groups_;
};

}  // namespace

// Parity over dies reduces the room for data.
std::uint64_t reclaim_superblock_units(const FtlConfig& config, const NandGeometry& geometry) {
  return std::uint64_t{geometry.dies / config.fdp.groups - config.rain} * geometry.planes_apart() *
         geometry.whole_units_per_block();
}

std::uint64_t reclaim_unit_units(const FtlConfig& config, const NandGeometry& geometry) {
  return config.fdp.unit_superblocks * reclaim_superblock_units(config, geometry);
}

std::uint32_t reclaim_group_bits(const FdpConfig& config) {
  return static_cast<std::uint32_t>(std::bit_width(config.groups - 1));
}

std::optional<std::uint32_t> reclaim_stream(const FdpConfig& config, std::uint16_t identifier) {
  if (!config.on()) return std::nullopt;
  const unsigned handle_bits = kIdentifierBits - reclaim_group_bits(config);
  const std::uint32_t group = std::uint32_t{identifier} >> handle_bits;
  const std::uint32_t handle = identifier & ((std::uint32_t{1} << handle_bits) - 1);
  if (group >= config.groups || handle >= config.handles) return std::nullopt;
  return group * config.handles + handle;
}

// Neighbouring addresses go to different groups, so that all dies serve one stream.
std::uint32_t default_reclaim_stream(const FdpConfig& config, std::uint32_t unit) {
  return unit / kUnitsInTurn % config.groups * config.handles + config.default_handle;
}

std::uint16_t placement_identifier(const FdpConfig& config, std::uint32_t stream) {
  const unsigned handle_bits = kIdentifierBits - reclaim_group_bits(config);
  return static_cast<std::uint16_t>((stream / config.handles) << handle_bits | stream % config.handles);
}

std::uint32_t reclaim_group(const FdpConfig& config, std::uint32_t stream) { return stream / config.handles; }

std::uint32_t reclaim_handle(const FdpConfig& config, std::uint32_t stream) { return stream % config.handles; }

std::vector<std::uint16_t> placement_identifiers(const FdpConfig& config) {
  std::vector<std::uint16_t> identifiers;
  for (std::uint32_t stream = 0; config.on() && stream < config.groups * config.handles; ++stream)
    identifiers.push_back(placement_identifier(config, stream));
  return identifiers;
}

std::uint32_t copies_stream(const FdpConfig& config, std::uint32_t stream) {
  if (stream >= config.groups * config.handles || config.isolates(stream % config.handles)) return stream;
  std::uint32_t handle = 0;
  while (config.isolates(handle)) ++handle;
  return stream / config.handles * config.handles + handle;
}

std::uint32_t copies_streams(const FdpConfig& config) {
  const auto isolated = static_cast<std::uint32_t>(config.persistent.size());
  return config.groups * (isolated + (isolated < config.handles ? 1 : 0));
}

std::unique_ptr<StreamPolicy> make_streams(const FtlConfig& config, const StreamContext& context) {
  if (config.fdp.on()) return std::make_unique<ReclaimHandles>(config.fdp);
  return Family<StreamPolicy>::make(config.streams, context);
}

std::unique_ptr<PlacementPolicy> make_placement(const FtlConfig& config, const PlacementContext& context) {
  if (config.fdp.groups > 1) return std::make_unique<PlacementByGroup>(config, context);
  return Family<PlacementPolicy>::make(config.placement, context);
}

}  // namespace flashloom
