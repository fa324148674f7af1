#include "controllers/nvme/namespace_table.hpp"

#include <algorithm>

namespace flashloom::nvme {

NamespaceTable::NamespaceTable(std::uint32_t most, std::uint64_t capacity, std::uint64_t granularity,
                               const NamespaceSizes& sizes)
    : capacity_(capacity), granularity_(granularity), table_(std::max<std::size_t>({most, sizes.size(), 1})) {
  if (sizes.empty()) table_[0] = {.begin = 0, .bytes = capacity, .attached = 1};
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    table_[i] = {.begin = begin, .bytes = sizes[i], .attached = 1};
    begin += sizes[i];
  }
}

Namespace* NamespaceTable::allocated(std::uint32_t number) {
  if (number == 0 || number > table_.size() || !table_[number - 1].exists()) return nullptr;
  return &table_[number - 1];
}

Namespace* NamespaceTable::active(std::uint32_t number) {
  Namespace* const found = allocated(number);
  return found != nullptr && found->attached != 0 && chosen_ ? found : nullptr;
}

// Calls f(begin, bytes) for each free range, in order.
template <class F>
void NamespaceTable::each_gap(F&& f) const {
  std::vector<const Namespace*> order;
  for (const Namespace& each : table_)
    if (each.exists()) order.push_back(&each);
  std::sort(order.begin(), order.end(), [](const Namespace* a, const Namespace* b) { return a->begin < b->begin; });
  std::uint64_t at = 0;
  const auto gap = [&](std::uint64_t end) {
    const std::uint64_t begin = (at + granularity_ - 1) / granularity_ * granularity_;
    if (begin < end) f(begin, end - begin);
  };
  for (const Namespace* const each : order) {
    gap(each->begin);
    at = each->begin + each->bytes;
  }
  gap(capacity_);
}

std::uint64_t NamespaceTable::unallocated() const {
  std::uint64_t sum = 0;
  each_gap([&sum](std::uint64_t, std::uint64_t bytes) { sum += bytes; });
  return sum;
}

std::uint64_t NamespaceTable::largest_free() const {
  std::uint64_t most = 0;
  each_gap([&most](std::uint64_t, std::uint64_t bytes) { most = std::max(most, bytes); });
  return most;
}

bool NamespaceTable::has_free_number() const {
  return std::any_of(table_.begin(), table_.end(), [](const Namespace& each) { return !each.exists(); });
}

std::uint32_t NamespaceTable::create(std::uint64_t bytes) {
  if (bytes == 0 || bytes > capacity_) return 0;
  const std::uint64_t wanted = (bytes + granularity_ - 1) / granularity_ * granularity_;
  std::optional<std::uint64_t> begin;
  each_gap([&](std::uint64_t at, std::uint64_t room) {
    if (!begin && room >= wanted) begin = at;
  });
  if (!begin) return 0;
  const auto free = std::find_if(table_.begin(), table_.end(), [](const Namespace& each) { return !each.exists(); });
  *free = {.begin = *begin, .bytes = bytes};
  return static_cast<std::uint32_t>(free - table_.begin()) + 1;
}

void NamespaceTable::remove(std::uint32_t number) { table_[number - 1] = {}; }

void NamespaceTable::note_change(std::uint32_t number) {
  const auto place = std::lower_bound(changes_.begin(), changes_.end(), number);
  if (place == changes_.end() || *place != number) changes_.insert(place, number);
}

}  // namespace flashloom::nvme
