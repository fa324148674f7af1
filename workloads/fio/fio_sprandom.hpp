// sprandom: one pass of random writes that leaves flash as random writes for ever leave it. The rules are those of fio
// 3.41's sprandom.c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "workloads/fio/fio_job.hpp"
#include "workloads/permutation.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// Which blocks to write. The pass writes as many as the flash holds, in regions; the writes of a region are blocks that
/// were never written, and blocks of the region before it, whose share is what garbage collection would find invalid
/// there: most in the first region, the oldest one, none in the last.
class FioSprandom {
 public:
  /// `bytes`: of the file, written in blocks of `block` bytes. Throws WorkloadError (file, line, key).
  FioSprandom(const FioJob& job, std::uint64_t bytes, std::uint64_t block, std::uint64_t seed);

  /// Bytes that the pass writes: those of the file, and over-provisioning.
  std::uint64_t total() const { return total_; }
  /// The next block; none: the pass is over.
  std::optional<std::uint64_t> next();

  /// Shares of a region's writes that the next region makes invalid, by region, for `over_provisioning` as a share of
  /// the logical size: the validity of blocks in the steady state of random writes is spread evenly from that of the
  /// block collected next, 1 - 1 / WAF, to 1, with WAF = 0.5 / over_provisioning + 0.7 (Desnoyers, SYSTOR 2012).
  static std::vector<double> invalid_shares(double over_provisioning, std::uint32_t regions);

 private:
  std::uint64_t written(std::uint64_t block);

  std::vector<double> invalid_;
  RandomPermutation order_;
  Random random_;
  std::uint64_t total_ = 0;
  std::uint64_t region_writes_ = 0;
  bool behind_;                       // spr_cs: a region's fresh writes come before its overwrites
  std::size_t region_ = 0;            // of the writes; one more than there are, at the end
  std::uint64_t fresh_left_ = 0;      // writes of new blocks in this region
  std::uint64_t position_ = 0;        // in `order_`
  std::deque<std::uint64_t> due_;     // blocks to write again in this region
  std::deque<std::uint64_t> staged_;  // in the next one
};

}  // namespace flashloom
