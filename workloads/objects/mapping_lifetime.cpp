#include "workloads/objects/mapping_lifetime.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {

bool MappingLifetime::emit(ObjectRequest& request, ObjectOperation operation, std::uint32_t object) const {
  request = {.operation = operation, .setup = pending_.setup, .object = object, .arrival_ps = pending_.arrival_ps};
  return true;
}

bool MappingLifetime::unmap(ObjectRequest& request, std::uint32_t object) {
  const auto found = where_.find(object);
  mapped_.erase(found->second);
  where_.erase(found);
  return emit(request, ObjectOperation::Unmap, object);
}

bool MappingLifetime::unmap_of(ObjectRequest& request,
                               std::set<std::pair<std::uint32_t, std::uint32_t>>::iterator mapping) {
  const std::uint32_t object = mapping->second;
  of_processes_.erase(mapping);
  return emit(request, ObjectOperation::Unmap, object);
}

// A process maps each object that it uses, and unmaps all when it ends. All processes end with the source.
bool MappingLifetime::next_of_processes(ObjectRequest& request) {
  using enum ObjectOperation;
  if (!waiting_) {
    given_ = false;
    const auto first = of_processes_.lower_bound({over_ || !pending_.ends ? 0 : pending_.process, 0});
    const bool ending = first != of_processes_.end() && (over_ || (pending_.ends && first->first == pending_.process));
    if (ending) return unmap_of(request, first);
    if (over_) return false;
    if (!source_->next(pending_)) {
      over_ = true;
      return next_of_processes(request);
    }
    waiting_ = true;
  }
  if (pending_.operation == Delete) {
    const auto mapping = std::find_if(of_processes_.begin(), of_processes_.end(),
                                      [&](const auto& entry) { return entry.second == pending_.object; });
    if (mapping != of_processes_.end()) return unmap_of(request, mapping);
  }
  const bool access = pending_.operation == Read || pending_.operation == Update;
  if (access && of_processes_.emplace(pending_.process, pending_.object).second)
    return emit(request, Map, pending_.object);
  request = pending_;
  waiting_ = false;
  given_ = true;
  return true;
}

bool MappingLifetime::next(ObjectRequest& request) {
  using enum ObjectOperation;
  using enum MappingRule::Kind;
  if (rule_.kind == Process) return next_of_processes(request);
  if (!waiting_) {
    const bool by_accesses = rule_.kind == Accesses || (rule_.kind == Hot && !pending_.hot);
    if (given_ && by_accesses && !mapped_.empty() && mapped_.front().object == pending_.object &&
        mapped_.front().accesses >= rule_.count) {
      given_ = false;
      return unmap(request, mapped_.front().object);
    }
    given_ = false;
    if (!source_->next(pending_)) return false;
    waiting_ = true;
  }
  const bool access = pending_.operation == Read || pending_.operation == Update;
  const auto found = where_.find(pending_.object);
  if (pending_.operation == Delete && found != where_.end()) return unmap(request, pending_.object);
  if (access && found == where_.end()) {
    if (rule_.kind == Lru && mapped_.size() >= rule_.count) return unmap(request, mapped_.back().object);
    mapped_.push_front({pending_.object, 0});
    where_[pending_.object] = mapped_.begin();
    return emit(request, Map, pending_.object);
  }
  if (access) {
    mapped_.splice(mapped_.begin(), mapped_, found->second);
    ++mapped_.front().accesses;
  }
  request = pending_;
  waiting_ = false;
  given_ = true;
  return true;
}

bool MappingLifetime::restart() {
  mapped_.clear();
  where_.clear();
  of_processes_.clear();
  waiting_ = waiting_ || given_;
  return std::exchange(given_, false);
}

}  // namespace flashloom
