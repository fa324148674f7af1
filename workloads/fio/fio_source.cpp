#include "workloads/fio/fio_source.hpp"

#include <algorithm>
#include <string>

#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kRead = 0;
constexpr std::size_t kWrite = 1;
constexpr std::size_t kTrim = 2;
constexpr RequestKind kKinds[] = {RequestKind::Read, RequestKind::Write, RequestKind::Trim};

[[noreturn]] void fail(const FioJob& job, const std::string& key, const std::string& message) {
  throw WorkloadError(job.file, job.line_of(key), key + ": " + message + " (job " + job.name + ")");
}

/// Percent of the capacity without overflow.
std::uint64_t share(std::uint64_t capacity, std::uint64_t percent) {
  return capacity / 100 * percent + capacity % 100 * percent / 100;
}

}  // namespace

FioSource::FioSource(const FioJob& job, const DeviceSpace& device, std::uint64_t seed, std::uint32_t instance)
    : job_(job), instance_(instance), random_(derived_seed(job.randseed.value_or(seed), instance)) {
  fit(device);
  for (std::size_t d = 0; d < 3; ++d) {
    blocks_[d] = region_size_ / job_.bs[d];
    walk_of_[d] = d;
    for (std::size_t earlier = d; earlier-- > 0;)
      if (job_.bs[earlier] == job_.bs[d]) walk_of_[d] = earlier;
  }
}

void FioSource::fit(const DeviceSpace& device) {
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!used(d)) continue;
    if (job_.bs[d] % device.sector_size != 0)
      fail(job_, "bs",
           std::to_string(job_.bs[d]) + " bytes are no multiple of the sector size, " +
               std::to_string(device.sector_size) + " (fio: k is 1024, kib is 1000; see kb_base)");
    smallest = std::min(smallest, job_.bs[d]);
    largest = std::max(largest, job_.bs[d]);
  }
  region_offset_ = job_.offset.value;
  if (job_.offset.percent) {  // as fio: aligned to the block
    region_offset_ = share(device.capacity, job_.offset.value);
    region_offset_ -= region_offset_ % smallest;
  }
  if (region_offset_ >= device.capacity)
    fail(job_, "offset",
         std::to_string(region_offset_) + " lies beyond the device (" + std::to_string(device.capacity) + " bytes)");
  if (region_offset_ % device.sector_size != 0)
    fail(job_, "offset",
         std::to_string(region_offset_) + " is no multiple of the sector size, " + std::to_string(device.sector_size));
  const std::uint64_t room = device.capacity - region_offset_;
  region_size_ = room;
  if (job_.size) region_size_ = job_.size->percent ? share(device.capacity, job_.size->value) : job_.size->value;
  if (region_size_ > room)
    fail(job_, "size",
         std::to_string(region_size_) + " bytes do not fit: the device holds " + std::to_string(room) +
             " from offset " + std::to_string(region_offset_) + " on");
  if (largest > region_size_)
    fail(job_, job_.lines.contains("bs") ? "bs" : "size",
         "a block of " + std::to_string(largest) + " bytes exceeds the region, " + std::to_string(region_size_));
  io_size_ = job_.io_size.value_or(region_size_ - region_size_ % smallest);
}

bool FioSource::used(std::size_t direction) const {
  return direction == kRead ? job_.rw.reads : direction == kWrite ? job_.rw.writes : job_.rw.trims;
}

std::size_t FioSource::direction() {
  if (job_.rw.reads && job_.rw.writes) return random_.below(100) < job_.rwmixread ? kRead : kWrite;
  return job_.rw.reads ? kRead : job_.rw.writes ? kWrite : kTrim;
}

std::uint64_t FioSource::block(std::size_t d) {
  if (!job_.rw.random) {
    const std::uint64_t block = cursors_[d];
    cursors_[d] = block + 1 == blocks_[d] ? 0 : block + 1;
    return block;
  }
  if (job_.norandommap) return random_.below(blocks_[d]);
  Walk& walk = walks_[walk_of_[d]];
  if (!walk.order || walk.position == blocks_[d]) {
    walk.order.emplace(blocks_[d], random_.next());
    walk.position = 0;
  }
  return (*walk.order)(walk.position++);
}

bool FioSource::next(Request& request) {
  if (job_.fsync != 0 && writes_since_flush_ == job_.fsync) {
    writes_since_flush_ = 0;
    request = Request{};
    request.kind = RequestKind::Flush;
    request.stream = static_cast<std::uint8_t>(instance_);
    return true;
  }
  if (!job_.time_based && issued_bytes_ >= io_size_) return false;
  const std::size_t d = direction();
  request = Request{};
  request.offset = region_offset_ + block(d) * job_.bs[d];
  request.length = job_.bs[d];
  request.kind = kKinds[d];
  request.stream = static_cast<std::uint8_t>(instance_);
  issued_bytes_ += job_.bs[d];
  if (d == kWrite) ++writes_since_flush_;
  return true;
}

std::uint64_t FioSource::expected_requests() const {
  const bool mixed = job_.rw.reads && job_.rw.writes;
  if (job_.time_based || (mixed && (job_.bs[kRead] != job_.bs[kWrite] || job_.fsync != 0))) return 0;
  const std::uint64_t bs = job_.bs[job_.rw.reads ? kRead : job_.rw.writes ? kWrite : kTrim];
  const std::uint64_t requests = io_size_ / bs + (io_size_ % bs != 0 ? 1 : 0);
  return requests + (job_.rw.writes && job_.fsync != 0 ? requests / job_.fsync : 0);
}

std::vector<std::unique_ptr<FioSource>> open_fio_jobs(const std::vector<FioJob>& jobs, const DeviceSpace& device,
                                                      std::uint64_t seed) {
  std::vector<std::unique_ptr<FioSource>> sources;
  for (const FioJob& job : jobs)
    for (std::uint32_t copy = 0; copy < job.numjobs; ++copy)
      sources.push_back(std::make_unique<FioSource>(job, device, seed, static_cast<std::uint32_t>(sources.size())));
  return sources;
}

}  // namespace flashloom
