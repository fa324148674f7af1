// Told what a first-come-first-served resource does: a core, a memory's port, a direction of the link.
#pragma once

#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

class ServiceObserver {
 public:
  /// A piece of service of the resource whose number the observer was attached with, in [from, to); `what` and `amount`
  /// as the resource says. It may lie in the future; a power cut breaks off what it meets.
  virtual void served(std::uint32_t resource, std::uint32_t what, std::uint64_t amount, Picoseconds from,
                      Picoseconds to) = 0;

 protected:
  ~ServiceObserver() = default;
};

/// A resource's end of that: nothing but a null check while nobody is attached.
class ServiceReport {
 public:
  void attach(ServiceObserver& observer, std::uint32_t resource) {
    observer_ = &observer;
    resource_ = resource;
  }
  void operator()(std::uint32_t what, std::uint64_t amount, Picoseconds from, Picoseconds to) const {
    if (observer_ != nullptr) [[unlikely]]
      observer_->served(resource_, what, amount, from, to);
  }

 private:
  ServiceObserver* observer_ = nullptr;
  std::uint32_t resource_ = 0;
};

}  // namespace flashloom
