#include "controllers/ftl/mapping/host_map.hpp"

#include <algorithm>

#include "policies/registry.hpp"

namespace flashloom {

void HostMap::resize(std::uint64_t slots) {
  for (std::uint32_t slot = 0; slot < filled_; ++slot) slot_of_[slots_[slot].page] = kNoSlot;
  filled_ = 0;
  cleaning_ = 0;
  ++tenure_;
  slots_.assign(std::min<std::uint64_t>(slots, slot_of_.size()), {});
  policy_ = slots_.empty() ? nullptr : Family<ReplacementPolicy>::make(replacement_, {.capacity = this->slots()});
}

TranslationPage HostMap::insert(TranslationPage page) {
  if (slots_.empty()) return kNoTranslationPage;
  TranslationPage left = kNoTranslationPage;
  std::uint32_t slot = filled_;
  if (filled_ < slots_.size()) {
    ++filled_;
  } else {
    policy_->expected(page, Access::Read);
    slot = policy_->victim();
    if (slots_[slot].dirty) left = slots_[slot].page;
    policy_->removed(slot);
    slot_of_[slots_[slot].page] = kNoSlot;
  }
  slots_[slot] = {.page = page, .dirty = false};
  slot_of_[page] = slot;
  policy_->inserted(slot, page, Access::Read);
  return left;
}

TranslationPage HostMap::clean_one() {
  for (; cleaning_ < filled_; ++cleaning_)
    if (slots_[cleaning_].dirty) {
      slots_[cleaning_].dirty = false;
      return slots_[cleaning_].page;
    }
  cleaning_ = 0;
  return kNoTranslationPage;
}

void HostMap::state(StateArchive& archive) {
  std::uint64_t slots = slots_.size();
  archive(slots);
  if (archive.loading()) resize(slots);
  archive(filled_, slots_);
  if (archive.loading())
    for (std::uint32_t slot = 0; slot < filled_; ++slot) slot_of_[slots_[slot].page] = slot;
  if (policy_ == nullptr) return;
  archive.part("host_map_replacement");
  policy_->state(archive);
}

}  // namespace flashloom
