#include "workloads/objects/mapping_lifetime.hpp"

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

bool MappingLifetime::next(ObjectRequest& request) {
  using enum ObjectOperation;
  using enum MappingRule::Kind;
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
  waiting_ = waiting_ || given_;
  return std::exchange(given_, false);
}

}  // namespace flashloom
