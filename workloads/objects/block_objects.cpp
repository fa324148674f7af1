#include "workloads/objects/block_objects.hpp"

#include <algorithm>

namespace flashloom {

bool ObjectsOfBlocks::next(ObjectRequest& request) {
  while (true) {
    while (!more_) {
      if (!source_->next(block_)) return false;
      more_ = block_.kind != RequestKind::Flush && block_.length != 0;
    }
    const auto object = static_cast<std::uint32_t>(block_.offset / object_bytes_);
    const std::uint64_t offset = block_.offset % object_bytes_;
    const std::uint64_t size = std::min(object_bytes_, capacity_ - object * object_bytes_);
    const std::uint64_t length = std::min(block_.length, size - offset);
    const bool trim = discards(block_.kind);
    request = {.object = object};
    if (speedup_ != 0)
      request.arrival_ps = static_cast<std::uint64_t>(static_cast<double>(block_.arrival_ps) / speedup_);
    if (!trim && !exists_[object]) {
      exists_[object] = true;
      request.operation = ObjectOperation::Create;
      request.length = size;
      return true;
    }
    block_.offset += length;
    block_.length -= length;
    more_ = block_.length != 0;
    if (trim) {
      if (length != size || !exists_[object]) continue;
      exists_[object] = false;
      request.operation = ObjectOperation::Delete;
      return true;
    }
    request.operation = block_.kind == RequestKind::Read ? ObjectOperation::Read : ObjectOperation::Update;
    request.offset = offset;
    request.length = length;
    return true;
  }
}

bool BlocksOfObjects::next(Request& request) {
  using enum ObjectOperation;
  request = Request{};
  while (left_ == 0) {
    if (!source_->next(access_)) return false;
    if (access_.operation == Delete) {
      request.kind = RequestKind::Trim;
      request.offset = base(access_.object);
      request.length = base(access_.object + std::uint64_t{1}) - request.offset;
      return true;
    }
    if (access_.operation == Read || access_.operation == Update) left_ = access_.length;
  }
  request.kind = access_.operation == Read ? RequestKind::Read : RequestKind::Write;
  request.length = std::min(request_bytes_, left_);
  request.offset = base(access_.object) + access_.offset;
  access_.offset += request.length;
  left_ -= request.length;
  return true;
}

}  // namespace flashloom
