#include "workloads/address_fit.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

__extension__ using Wide = unsigned __int128;

/// Widens a request to whole sectors; false if its end leaves 64 bits.
bool align(Request& request, std::uint64_t sector) {
  const std::uint64_t begin = request.offset - request.offset % sector;
  if (request.length > std::numeric_limits<std::uint64_t>::max() - request.offset) return false;
  std::uint64_t end = request.offset + request.length;
  if (end % sector != 0) {
    const std::uint64_t missing = sector - end % sector;
    if (end > std::numeric_limits<std::uint64_t>::max() - missing) return false;
    end += missing;
  }
  request.offset = begin;
  request.length = end - begin;
  return true;
}

class FittedSource final : public RequestSource {
 public:
  /// `extent` in bytes: end of the source's last sector; at most the capacity where nothing is to be scaled.
  FittedSource(std::unique_ptr<RequestSource> inner, const DeviceSpace& device, AddressFit mode, std::uint64_t extent)
      : inner_(std::move(inner)),
        capacity_(device.capacity - device.capacity % device.sector_size),
        sector_(device.sector_size),
        mode_(mode),
        extent_(extent) {}

  bool next(Request& request) override {
    if (!inner_->next(request)) return false;
    ++number_;
    if (request.kind == RequestKind::Flush) return true;
    if (!align(request, sector_)) fail(request, "ends beyond 64 bits");
    if (request.length > capacity_) fail(request, "is larger than the device");
    if (mode_ == AddressFit::Scale && extent_ > capacity_) {
      const auto scaled = static_cast<std::uint64_t>(Wide{request.offset} * capacity_ / extent_);
      place(request, scaled - scaled % sector_);
    } else if (request.offset > capacity_ - request.length) {
      if (mode_ != AddressFit::Wrap) fail(request, "lies beyond the device; address fit: wrap or scale");
      place(request, request.offset % capacity_);
    }
    return true;
  }

  std::uint64_t expected_requests() const override { return inner_->expected_requests(); }
  bool timed() const override { return inner_->timed(); }
  SourcePosition position() const override { return inner_->position(); }
  std::uint64_t clamped_times() const override { return inner_->clamped_times(); }

 private:
  void place(Request& request, std::uint64_t offset) const {
    request.offset = std::min(offset, capacity_ - request.length);
  }

  [[noreturn]] void fail(const Request& request, const char* what) const {
    SourcePosition at = inner_->position();
    if (at.file.empty()) at.file = "workload";
    throw WorkloadError(at, "request " + std::to_string(number_) + " (offset " + std::to_string(request.offset) +
                                ", length " + std::to_string(request.length) + ") " + what + " (" +
                                std::to_string(capacity_) + " bytes)");
  }

  std::unique_ptr<RequestSource> inner_;
  std::uint64_t capacity_;
  std::uint64_t sector_;
  AddressFit mode_;
  std::uint64_t extent_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<RequestSource> fit_addresses(const SourceOpener& open, const DeviceSpace& device, AddressFit mode) {
  if (device.sector_size == 0 || device.capacity < device.sector_size)
    throw std::invalid_argument("fit_addresses: the device holds no sector");
  std::uint64_t extent = 0;
  if (mode == AddressFit::Scale) {
    const auto first_pass = open();
    Request request;
    while (first_pass->next(request))
      if (request.kind != RequestKind::Flush && align(request, device.sector_size))
        extent = std::max(extent, request.offset + request.length);
  }
  return std::make_unique<FittedSource>(open(), device, mode, extent);
}

}  // namespace flashloom
