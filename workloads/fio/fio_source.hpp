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
#include "workloads/fio/fio_sprandom.hpp"
#include "workloads/fio/fio_zones.hpp"
#include "workloads/fio/offset_distribution.hpp"
#include "workloads/paced_source.hpp"
#include "workloads/permutation.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// Identifies one copy of a job. `number` determines its random choices and its stream.
struct FioInstance {
  std::uint32_t number = 0;  ///< counts over all jobs, from 0; its low 8 bits are the stream of the requests
  std::uint32_t copy = 0;    ///< of the job's numjobs copies, from 0
  std::uint32_t group = 0;   ///< stonewall and new_group begin a new group
  bool first_of_job = true;  ///< stonewall applies only to a job's first copy
};

/// Closed loop: arrival times are 0; pace() says what to wait for. The rules are fio 3.33's (its io_u.c and backend.c);
/// docs/reference/fio.md states them. The seed and the number of the instance determine all requests.
class FioSource final : public PacedSource {
 public:
  /// `files` come from lay_out_fio_files(). `zones` holds the zone tables of all jobs' files; the constructor adds the
  /// missing ones of this job's files.
  FioSource(const FioJob& job, std::vector<FioFile> files, const DeviceSpace& device, std::uint64_t seed,
            FioInstance instance, FioZoneTables& zones);

  bool next(Request& request) override {
    if (after_reset_.length != 0) [[unlikely]]
      return next_after_reset(request);
    return job_.num_range == 1 ? next_one(request) : next_ranges(request);
  }
  /// Skips reads only of jobs that do nothing but read blocks of one size from one file at full speed. Takes constant
  /// time per pass over the file for sequential reads and for random reads with a random map.
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override;
  void advance(std::uint64_t now_ps) override { now_ps_ = now_ps; }
  Pace pace() const override { return pace_; }
  /// Exact for jobs with one fixed block size, one file and no loops; else 0.
  std::uint64_t expected_requests() const override;
  bool knows_zones() const override { return job_.zbd.on; }
  SourcePosition position() const override { return {job_.file, job_.section_line}; }

  const FioJob& job() const { return job_; }
  const FioInstance& instance() const { return instance_; }
  const std::vector<FioFile>& files() const { return places_; }
  /// Whether pace() can ever ask for a wait.
  bool paced() const;
  std::uint64_t start_delay_ps() const { return start_delay_ps_; }

 private:
  /// The blocks visited in this pass: a position in a random permutation if every request is one block, else a map.
  struct Walk {
    std::optional<RandomPermutation> order;
    std::uint64_t position = 0;
    std::optional<BlockMap> map;
  };
  struct File {
    FioFile place;
    PerDirection<std::uint64_t> next{};    // end of the last request, from the start of the job's part plus `window`
    PerDirection<std::uint64_t> start{};   // start of the last request, likewise; kNowhere: none yet
    PerDirection<std::uint64_t> blocks{};  // number of blocks at which a random request can begin
    PerDirection<Walk> walks;
    OffsetDistribution distribution;
    std::uint64_t window = 0;        // strided, zoned: start of the window, from the start of the job's part
    std::uint64_t window_bytes = 0;  // strided, zoned: bytes sent in the window
    std::optional<FioZones> zones;
    bool done = false;
  };
  struct Place {
    std::uint64_t at = 0;     // bytes from the window's start
    std::uint64_t block = 0;  // random: in units of the alignment
    bool random = false;
    bool mapped = false;  // the request marks its blocks in the map
  };

  bool used(std::size_t d) const { return d == 0 ? job_.rw.reads : d == 1 ? job_.rw.writes : job_.rw.trims; }
  bool strided() const { return job_.stride.size != 0 && !job_.zbd.on; }
  std::uint64_t alignment(std::size_t d) const {
    return job_.blockalign[d] != 0 ? job_.blockalign[d] : job_.bs[d].least;
  }
  void seed_choices();
  std::uint64_t room(const File& file) const;
  std::uint64_t blocks(const File& file, std::size_t d) const;

  // Functions that few jobs or few requests need are [[gnu::noinline]], so that the common path of next() stays small.
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
  // For pass_reads() (fio_source_reads.cpp).
  bool plain_reads() const;
  std::uint64_t requests_left_in_pass(std::uint64_t bs) const;
  std::uint64_t locate_last(File& file, std::uint64_t most, Place& place);
  void sent(File& file, std::size_t d, const Place& place, std::uint64_t length, std::uint64_t requests = 1);
  [[gnu::noinline]] void think(std::size_t d);
  // For zones (fio_source_zones.cpp).
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
  std::uint64_t size_ = 0;            // bytes of all files together
  std::uint64_t io_size_ = 0;         // 0: not given
  PerDirection<std::size_t> walk_of_{};
  std::uint64_t pass_limit_ = 0;     // bytes of a pass, in all directions
  std::uint64_t byte_limit_ = 0;     // bytes of the job, in the directions that count
  std::uint64_t request_limit_ = 0;  // requests of the job
  PerDirection<bool> counts_{};      // directions that count towards byte_limit_
  bool flush_alone_;
  std::uint64_t start_delay_ps_ = 0;

  Random mix_{0}, place_{0}, zone_{0}, run_{0}, file_{0};
  PerDirection<Random> size_of_{Random(0), Random(0), Random(0)};
  Random process_{0};
  Random popular_;  // zipf, pareto, normal: as in fio, loops do not repeat their draws
  FioRate rate_;
  FioPlacer placer_;
  std::optional<FioSprandom> sprandom_;

  std::uint64_t now_ps_ = 0;
  Pace pace_;
  PerDirection<std::uint64_t> issued_{};        // requests
  PerDirection<std::uint64_t> issued_bytes_{};  // bytes in all passes
  std::uint64_t requests_ = 0;
  std::uint64_t counted_bytes_ = 0;
  std::uint64_t pass_bytes_ = 0;
  std::uint64_t passes_ = 0;
  std::size_t mix_direction_ = 0;
  std::uint64_t mix_until_ = 0;  // requests issued in mix_direction_ before a new draw
  std::uint32_t run_left_ = 1;
  std::size_t done_ = 0;  // files that are done in this pass
  std::size_t file_at_ = 0;
  std::uint32_t file_left_ = 0;
  bool last_was_write_ = false;
  bool unflushed_ = false;
  std::uint64_t since_pause_ = 0;
  std::uint64_t last_pause_ps_ = 0;
  bool pause_due_ = false;
  bool ended_ = false;
  FioZones::Place zone_place_;  // of the request being prepared
  Request after_reset_;         // the write that waits for the reset given out last; length 0: none
  bool pass_sent_ = false;      // this pass has given out a request
  std::uint64_t unsent_ = 0;    // bytes of trims that sent no request, since the last request
};

/// The sources of all jobs in file order, numjobs sources per job.
std::vector<std::unique_ptr<FioSource>> open_fio_jobs(const std::vector<FioJob>& jobs, const DeviceSpace& device,
                                                      std::uint64_t seed);

}  // namespace flashloom
