// Observer of a first-come-first-served resource: a core, a memory's port, a direction of the link.
#pragma once

#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

class ServiceObserver {
 public:
  /// One service interval [from, to) of the resource, whose number was given to attach(); the resource defines `what`
  /// and `amount`. It may lie in the future; a power cut shortens it.
  virtual void served(std::uint32_t resource, std::uint32_t what, std::uint64_t amount, Picoseconds from,
                      Picoseconds to) = 0;

 protected:
  ~ServiceObserver() = default;
};

/// The resource's side: costs only a null check while no observer is attached.
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
