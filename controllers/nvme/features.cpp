#include "controllers/nvme/features.hpp"

#include <vector>

namespace flashloom::nvme {

void Features::declare(Feature feature, Traits traits, std::uint32_t first, std::uint32_t of) {
  values_[key(feature, of)] = {traits, first, first, std::nullopt};
}

const Features::Value* Features::find(std::uint8_t feature, std::uint32_t of) const {
  const auto found = values_.find(key(feature, of));
  return found == values_.end() ? nullptr : &found->second;
}

bool Features::knows_any(std::uint8_t feature) const {
  const auto found = values_.lower_bound(key(feature, 0));
  return found != values_.end() && found->first >> 32U == feature;
}

const Features::Traits& Features::traits(std::uint8_t feature) const {
  return values_.lower_bound(key(feature, 0))->second.traits;
}

std::uint32_t Features::selected(std::uint8_t feature, std::uint32_t of, std::uint32_t select) const {
  const Value& value = *find(feature, of);
  switch (select) {
    case 1:
      return value.first;
    case 2:
      return value.saved.value_or(value.first);
    case 3:
      return capabilities(feature);
    default:
      return value.current;
  }
}

std::uint32_t Features::capabilities(std::uint8_t feature) const {
  const Traits& of = traits(feature);
  return (of.saveable ? 1U : 0U) | (of.of_namespace ? 2U : 0U) | (of.changeable ? 4U : 0U);
}

void Features::set(std::uint8_t feature, std::uint32_t of, std::uint32_t value, bool save) {
  Value& changed = values_.at(key(feature, of));
  changed.current = value;
  if (save) changed.saved = value;
}

void Features::reset() {
  for (auto& [key, value] : values_) value.current = value.saved.value_or(value.first);
}

void Features::state(StateArchive& archive) {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> saved;
  for (const auto& [key, value] : values_) {
    if (!value.saved) continue;
    keys.push_back(key);
    saved.push_back(*value.saved);
  }
  archive(keys, saved);
  if (!archive.loading()) return;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (const auto found = values_.find(keys[i]); found != values_.end()) found->second.saved = saved[i];
  reset();
}

}  // namespace flashloom::nvme
