// The requests of one copy of a fio job.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/fio/block_map.hpp"
#include "workloads/fio/fio_files.hpp"
#include "workloads/fio/fio_job.hpp"
#include "workloads/fio/fio_placement.hpp"
#include "workloads/fio/fio_rate.hpp"
#include "workloads/fio/fio_zones.hpp"
#include "workloads/fio/offset_distribution.hpp"
#include "workloads/paced_source.hpp"
#include "workloads/permutation.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// Which copy of which job: names the random choices and the stream.
struct FioInstance {
  std::uint32_t number = 0;  ///< over all jobs, from 0; the stream of the requests is its low 8 bits
  std::uint32_t copy = 0;    ///< of numjobs
  std::uint32_t group = 0;   ///< begun by stonewall and new_group
  bool first_of_job = true;  ///< stonewall concerns the first copy only
};

/// Closed loop: arrival times are 0; pace() says what to wait for. The rules are fio 3.33's (its io_u.c and backend.c);
/// docs/fio.md states them. Everything follows from the seed and the number of the instance.
class FioSource final : public PacedSource {
 public:
  /// `files` from lay_out_fio_files(). Zones of files of other jobs are in `zones`, to which it adds those of its own.
  FioSource(const FioJob& job, std::vector<FioFile> files, const DeviceSpace& device, std::uint64_t seed,
            FioInstance instance, FioZoneTables& zones);

  bool next(Request& request) override {
    if (after_reset_.length != 0) [[unlikely]]
      return next_after_reset(request);
    return job_.num_range == 1 ? next_one(request) : next_ranges(request);
  }
  /// Of jobs that do nothing but read blocks of one size from one file, as fast as they can: those in sequence, and in the
  /// order of a random map, all of a pass at once.
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override;
  void advance(std::uint64_t now_ps) override { now_ps_ = now_ps; }
  Pace pace() const override { return pace_; }
  /// Exact for one fixed block size on one file without loops, else 0.
  std::uint64_t expected_requests() const override;
  bool knows_zones() const override { return job_.zbd.on; }
  SourcePosition position() const override { return {job_.file, job_.section_line}; }

  const FioJob& job() const { return job_; }
  const FioInstance& instance() const { return instance_; }
  const std::vector<FioFile>& files() const { return places_; }
  /// Whether pace() is ever anything but free.
  bool paced() const;
  std::uint64_t start_delay_ps() const { return start_delay_ps_; }

 private:
  /// The blocks of a file that were visited in this pass: a permutation where all requests are one block, else a map.
  struct Walk {
    std::optional<RandomPermutation> order;
    std::uint64_t position = 0;
    std::optional<BlockMap> map;
  };
  struct File {
    FioFile place;
    PerDirection<std::uint64_t> next{};    // last end, from the job's begin in the file (or the strided window's)
    PerDirection<std::uint64_t> start{};   // last begin; kNowhere: none yet
    PerDirection<std::uint64_t> blocks{};  // that a random request can begin at
    PerDirection<Walk> walks;
    OffsetDistribution distribution;
    std::uint64_t window = 0;        // strided, zoned: begin
    std::uint64_t window_bytes = 0;  // strided, zoned: sent in it
    std::optional<FioZones> zones;
    bool done = false;
  };
  struct Place {
    std::uint64_t at = 0;     // from the window's begin
    std::uint64_t block = 0;  // random: in units of the alignment
    bool random = false;
    bool mapped = false;  // marks the map
  };

  bool used(std::size_t d) const { return d == 0 ? job_.rw.reads : d == 1 ? job_.rw.writes : job_.rw.trims; }
  bool strided() const { return job_.stride.size != 0 && !job_.zbd.on; }
  std::uint64_t alignment(std::size_t d) const {
    return job_.blockalign[d] != 0 ? job_.blockalign[d] : job_.bs[d].least;
  }
  void seed_choices();
  std::uint64_t room(const File& file) const;
  std::uint64_t blocks(const File& file, std::size_t d) const;

  // What few jobs or few requests need stands apart ([[gnu::noinline]]), so that the usual next() stays small.
  bool next_one(Request& request);
  [[gnu::noinline]] bool next_ranges(Request& request);
  [[gnu::noinline]] bool flush_due() const;
  [[gnu::noinline]] bool flush(Request& request);
  bool pass_over() const { return done_ == files_.size() || (!job_.time_based && enough_sent()); }
  bool enough_sent() const { return pass_bytes_ >= pass_limit_ || limit_reached(); }
  bool limit_reached() const { return counted_bytes_ >= byte_limit_ || requests_ >= request_limit_; }
  void set_limits();
  std::uint64_t limit() const;
  [[gnu::noinline]] bool begin_pass();
  void reset(File& file);
  File* choose_file() {
    if (files_.size() != 1) return choose_among_files();
    return files_.front().done ? nullptr : &files_.front();
  }
  [[gnu::noinline]] File* choose_among_files();
  std::size_t direction(const File& file);
  std::size_t mixed_direction();
  bool locate(File& file, std::size_t d, Place& place);
  bool sequential(File& file, std::size_t d, Place& place) const;
  bool random_block(File& file, std::size_t d, Place& place);
  bool draw_block(File& file, std::size_t d, Place& place);
  bool draw_unevenly(File& file, std::size_t d, Place& place);
  Walk& ordered_walk(File& file, std::size_t d);
  bool walks_in_order(std::size_t d) const { return job_.bs[d].fixed() && alignment(d) == job_.bs[d].least; }
  bool from_walk(File& file, std::size_t d, std::uint64_t first, std::uint64_t count, Place& place);
  std::uint64_t length(const File& file, std::size_t d, const Place& place);
  [[gnu::noinline]] std::uint64_t drawn_length(const FioBlockSizes& sizes, std::size_t d, std::uint64_t room);
  [[gnu::noinline]] void move_window(File& file);
  // Of reads that are passed over (fio_source_reads.cpp).
  bool plain_reads() const;
  std::uint64_t requests_left_in_pass(std::uint64_t bs) const;
  std::uint64_t locate_last(File& file, std::uint64_t most, Place& place);
  void sent(File& file, std::size_t d, const Place& place, std::uint64_t length, std::uint64_t requests = 1);
  [[gnu::noinline]] void think();
  // Of zones (fio_source_zones.cpp).
  [[gnu::noinline]] bool place_in_zone(File& file, std::size_t d, Place& place, std::uint64_t& bytes);
  [[gnu::noinline]] bool send_to_zone(Request& request, File& file, std::size_t d, const Place& place,
                                      std::uint64_t bytes);
  [[gnu::noinline]] bool next_after_reset(Request& request);
  void send(Request& request, const File& file, std::size_t d, const Place& place, std::uint64_t length);

  FioJob job_;
  FioInstance instance_;
  std::uint32_t sector_;
  std::uint64_t seed_;
  std::vector<FioFile> places_;
  std::vector<File> files_;
  std::vector<RequestRange> ranges_;  // of the request given out last
  std::uint64_t size_ = 0;            // of all files
  std::uint64_t io_size_ = 0;         // 0: not given
  PerDirection<std::size_t> walk_of_{};
  std::uint64_t pass_limit_ = 0;     // bytes, in all directions
  std::uint64_t byte_limit_ = 0;     // of the job, in those that count
  std::uint64_t request_limit_ = 0;  // of the job
  PerDirection<bool> counts_{};      // towards byte_limit_
  bool flush_alone_;
  std::uint64_t start_delay_ps_ = 0;

  Random mix_{0}, place_{0}, zone_{0}, run_{0}, file_{0};
  PerDirection<Random> size_of_{Random(0), Random(0), Random(0)};
  Random process_{0};
  Random popular_;  // zipf, pareto, normal: as in fio, loops do not repeat them
  FioRate rate_;
  FioPlacer placer_;

  std::uint64_t now_ps_ = 0;
  Pace pace_;
  PerDirection<std::uint64_t> issued_{};        // requests
  PerDirection<std::uint64_t> issued_bytes_{};  // in all passes
  std::uint64_t requests_ = 0;
  std::uint64_t counted_bytes_ = 0;
  std::uint64_t pass_bytes_ = 0;
  std::uint64_t passes_ = 0;
  std::size_t mix_direction_ = 0;
  std::uint64_t mix_until_ = 0;  // requests in mix_direction_ before a new draw
  std::uint32_t run_left_ = 1;
  std::size_t done_ = 0;  // files
  std::size_t file_at_ = 0;
  std::uint32_t file_left_ = 0;
  bool last_was_write_ = false;
  bool unflushed_ = false;
  std::uint64_t since_pause_ = 0;
  std::uint64_t last_pause_ps_ = 0;
  bool pause_due_ = false;
  bool ended_ = false;
  FioZones::Place zone_place_;  // of the request that is being made
  Request after_reset_;         // the write that waits for the reset given out last; length 0: none
  bool pass_sent_ = false;      // a request, in this pass
  std::uint64_t unsent_ = 0;    // bytes of trims that were no requests, since the last one that was
};

/// The sources of all jobs in file order, each job numjobs times.
std::vector<std::unique_ptr<FioSource>> open_fio_jobs(const std::vector<FioJob>& jobs, const DeviceSpace& device,
                                                      std::uint64_t seed);

}  // namespace flashloom
