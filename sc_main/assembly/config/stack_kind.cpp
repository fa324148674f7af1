#include "sc_main/assembly/config/stack_kind.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

#include "models/common/config_problem.hpp"
#include "sc_main/assembly/version.hpp"

namespace flashloom {
namespace {

/// How a device file says that there is one.
struct Told {
  std::string_view name;
  const char* key;
  bool (*present)(const DeviceConfig& config);
};
// From the inside to the outside: an array may be the cache of a tier.
constexpr std::array kTold = {
    Told{"heap", "heap.nvram.kind", [](const DeviceConfig& config) { return config.heap.present(); }},
    Told{"array", "array.level", [](const DeviceConfig& config) { return config.array.present(); }},
    Told{"tier", "hdd.capacity", [](const DeviceConfig& config) { return config.hdd.capacity != 0; }}};

std::vector<const StackKind*>& registered() {
  static std::vector<const StackKind*> kinds;
  return kinds;
}

const StackKind* find(std::string_view name) {
  const auto found = std::ranges::find(registered(), name, &StackKind::name);
  return found == registered().end() ? nullptr : *found;
}

}  // namespace

RegisterStackKind::RegisterStackKind(const StackKind& kind) {
  registered().push_back(&kind);
  const RegisterComponent component(kind.name);
}

const std::vector<const StackKind*>& stack_kinds() { return registered(); }

const StackKind* stack_kind_of(const DeviceConfig& config) {
  for (const Told& told : kTold | std::views::reverse)
    if (told.present(config)) return find(told.name);
  return nullptr;
}

const StackKind* cache_kind_of(const DeviceConfig& config) { return config.array.present() ? find("array") : nullptr; }

void check_stack(const DeviceConfig& config) {
  for (const Told& told : kTold) {
    if (!told.present(config)) continue;
    const StackKind* const kind = find(told.name);
    require(kind != nullptr, told.key, "needs a flashloom that is built with `" + std::string(told.name) + "`");
    kind->check(config);
  }
}

}  // namespace flashloom
