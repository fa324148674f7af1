// The requests of one instance of a fio job.
//
// All jobs address the one device: `filename` and `directory` have no effect, and a job's region is the `size` bytes
// from `offset` on, by default the whole device. Instances and jobs that should not overlap say so with their offsets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/fio/fio_job.hpp"
#include "workloads/permutation.hpp"
#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Closed loop: arrival times are 0. As in fio:
/// * a job ends when io_size bytes were sent (the last block may exceed it), by default the whole blocks of the region;
/// * sequential offsets: one cursor for reads, one for writes, one for trims, each back to the begin of the region at
/// its end;
/// * random offsets: multiples of the block size from the begin of the region. By default no block repeats until all
/// were
///   visited (reads and writes share this order where their block sizes are equal), then a new order begins;
///   with norandommap they are independent draws;
/// * rw and randrw draw the direction of each request with probability rwmixread;
/// * fsync=N: a flush after every N writes.
/// Everything follows from the seed and the number of the instance.
class FioSource final : public RequestSource {
 public:
  /// `instance` numbers the sources of a run from 0; the stream of the requests is its low 8 bits.
  /// Throws WorkloadError (file, line, key) if the job does not fit the device.
  FioSource(const FioJob& job, const DeviceSpace& device, std::uint64_t seed, std::uint32_t instance);

  bool next(Request& request) override;
  /// Exact for one block size in use and without time_based, else 0.
  std::uint64_t expected_requests() const override;
  SourcePosition position() const override { return {job_.file, job_.section_line}; }

  const FioJob& job() const { return job_; }
  std::uint32_t instance() const { return instance_; }
  std::uint32_t iodepth() const { return job_.iodepth; }
  std::uint64_t runtime_ps() const { return job_.runtime_ps; }    ///< 0: no limit; the host driver keeps it
  std::uint64_t region_offset() const { return region_offset_; }  ///< bytes
  std::uint64_t region_size() const { return region_size_; }      ///< bytes

 private:
  /// Walk over the blocks of the region in random order, pass after pass.
  struct Walk {
    std::optional<RandomPermutation> order;
    std::uint64_t position = 0;
  };

  void fit(const DeviceSpace& device);
  std::uint64_t block(std::size_t direction);
  std::size_t direction();
  bool used(std::size_t direction) const;

  FioJob job_;
  std::uint32_t instance_;
  std::uint64_t region_offset_ = 0;
  std::uint64_t region_size_ = 0;
  std::uint64_t io_size_ = 0;
  std::array<std::uint64_t, 3> blocks_{};   // in the region, by direction
  std::array<std::uint64_t, 3> cursors_{};  // next sequential block, by direction
  std::array<std::size_t, 3> walk_of_{};    // which walk a direction takes
  std::array<Walk, 3> walks_;
  Random random_;
  std::uint64_t issued_bytes_ = 0;
  std::uint64_t writes_since_flush_ = 0;
};

/// The sources of all jobs in file order, each job numjobs times.
std::vector<std::unique_ptr<FioSource>> open_fio_jobs(const std::vector<FioJob>& jobs, const DeviceSpace& device,
                                                      std::uint64_t seed);

}  // namespace flashloom
