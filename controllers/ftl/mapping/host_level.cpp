#include "controllers/ftl/mapping/host_level.hpp"

#include <algorithm>
#include <utility>

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

HostLevel::HostLevel(HostMemoryBuffer* memory, std::uint32_t pages, std::uint32_t page_bytes, std::uint32_t entry_bytes,
                     const PolicyChoice& replacement)
    : memory_(memory),
      page_bytes_(page_bytes),
      entry_bytes_(entry_bytes),
      map_(memory == nullptr ? 0 : pages, replacement) {
  if (memory_ != nullptr) map_.resize(memory_->granted() / page_bytes_);
}

bool HostLevel::look_up(TranslationPage page) {
  if (map_.slots() == 0) return false;
  const bool held = map_.holds(page);
  ++(held ? memory_->counters().hits : memory_->counters().misses);
  if (held) map_.use(page);
  return held;
}

TranslationPage HostLevel::put(TranslationPage page) {
  ++memory_->counters().fills;
  const TranslationPage left = map_.insert(page);
  if (left == kNoTranslationPage) return left;
  ++memory_->counters().write_backs;
  ++leaving_;
  return left;
}

Task<void> HostLevel::change(TranslationPage page, std::uint32_t entries) {
  map_.change(page);
  return memory_->write(entries, entry_bytes_);
}

Task<void> HostLevel::send_changes() { return memory_->write(std::exchange(changed_, 0), entry_bytes_); }

TranslationPage HostLevel::next_to_write() {
  const TranslationPage page = map_.clean_one();
  if (page != kNoTranslationPage) ++memory_->counters().write_backs;
  return page;
}

Task<bool> HostLevel::read_lines(std::uint32_t lines, std::uint64_t tenure) {
  if (tenure != map_.tenure()) co_return false;
  const std::uint64_t epoch = memory_->epoch();
  ++reading_;
  co_await memory_->read(lines, HostMemoryBuffer::kLine);
  if (--reading_ == 0) none_reading_.wake_all();
  co_return epoch == memory_->epoch();
}

Task<bool> HostLevel::read_page() {
  if (lost_) co_return false;
  const std::uint64_t epoch = memory_->epoch();
  co_await memory_->read(1, page_bytes_);
  co_return epoch == memory_->epoch();
}

Task<void> HostLevel::renew() {
  map_.resize(memory_->granted() / page_bytes_);
  lost_ = false;
  while (reading_ != 0) co_await none_reading_.wait();
}

void HostLevel::lose() {
  if (memory_ == nullptr) return;
  map_.resize(0);
  changed_ = 0;
  lost_ = true;
}

void HostLevel::state(StateArchive& archive) {
  if (memory_ != nullptr) archive(map_, changed_, lost_);
}

}  // namespace flashloom
