// One job section of a fio job file, with the global section applied.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/request.hpp"

namespace flashloom {

/// Reads, writes, trims: the order in which fio lists values by direction.
constexpr std::size_t kFioDirections = 3;
template <class T>
using PerDirection = std::array<T, kFioDirections>;

/// rw=: directions, whether offsets are random, and how one offset follows another.
struct FioPattern {
  bool reads = true;
  bool writes = false;
  bool trims = false;
  bool random = false;
  bool trim_then_write = false;  ///< trimwrite: each block is trimmed, then written
  std::uint32_t run = 1;         ///< random: requests per randomly drawn place (randread:8)
  std::int64_t step = 0;         ///< sequential: bytes added after each request (read:8k, read:-8k)
};

/// A size in bytes, in percent, or in zones ("4z").
struct FioSize {
  std::uint64_t value = 0;
  bool percent = false;
  bool zones = false;
};

/// A range of values, both ends included.
struct FioRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Block sizes of one direction: from `least` to `most`, or split into sizes with shares in percent.
struct FioBlockSizes {
  struct Share {
    std::uint64_t bytes;
    std::uint32_t percent;
  };
  std::uint64_t least = 4096;
  std::uint64_t most = 4096;
  std::vector<Share> split{};  ///< empty: uniform over the range

  bool fixed() const { return least == most; }
};

/// random_distribution=
struct FioDistribution {
  enum class Kind : std::uint8_t { Uniform, Zipf, Pareto, Normal, Zoned, ZonedAbsolute };
  /// `percent` of the requests go to the next `size` of the region: percent (Zoned) or bytes (ZonedAbsolute).
  struct Zone {
    std::uint32_t percent;
    std::uint64_t size;
  };
  Kind kind = Kind::Uniform;
  double parameter = 0;          ///< Zipf: theta; Pareto: h; Normal: deviation in percent of the region
  std::optional<double> center;  ///< where the most popular block lies, as a share of the region
  PerDirection<std::vector<Zone>> zones{};
};

/// zonemode=strided: the job transfers `size` bytes in a window of `range`, then moves the window by range + skip.
struct FioStride {
  std::uint64_t size = 0;  ///< 0: no zones
  std::uint64_t range = 0;
  std::uint64_t skip = 0;
};

/// zonemode=zbd: the zones are the device's, else of `stride.size` bytes. A sequential job skips `stride.skip` bytes
/// between zones.
struct FioZbd {
  bool on = false;
  std::uint64_t capacity = 0;      ///< writable bytes of a zone, if the device has no zones; 0: the whole zone
  std::uint32_t max_open = 0;      ///< open zones of all jobs; 0: no limit
  std::uint32_t job_max_open = 0;  ///< open zones of this job; 0: no limit
  double reset_threshold = 1;      ///< share of the job's part that holds data before zones are reset early
  double reset_frequency = 0;      ///< share of the writes that then reset their zone
  bool read_beyond_wp = false;
  bool ignore_limits = false;    ///< ignore the device's limit of open zones
  std::uint64_t skip_zones = 0;  ///< stride.skip, in zones
};

/// dataplacement= and write_hint=: where the host wants the data of writes to go.
struct FioPlacement {
  enum class Directive : std::uint8_t { None, Fdp, Streams };
  enum class Select : std::uint8_t { RoundRobin, Random, Scheme };
  Directive directive = Directive::None;
  Select select = Select::RoundRobin;
  std::vector<std::uint16_t> ids{};  ///< indices into the device's identifiers (Fdp), or streams; empty: all
  std::string scheme{};              ///< path of the file that maps ranges of offsets to identifiers
  std::uint16_t hint = 0;            ///< lifetime hint: 1 (short) to 4 (extreme); 0: none
};

enum class FioFileService : std::uint8_t { RoundRobin, Sequential, Random };
enum class FioExitWhat : std::uint8_t { Group, Stonewall, All };

/// sprandom= (fio_sprandom.hpp).
struct FioSprandomPass {
  bool on = false;
  double over_provisioning = 0.15;  ///< share of the logical size
  std::uint32_t regions = 100;
  std::uint64_t cache = 0;  ///< bytes
};

/// Values as written; opening the job (fio_source.hpp) checks those that depend on the device. Durations are
/// picoseconds.
struct FioJob {
  std::string file;  ///< job file, for messages
  std::string name;

  // What is sent.
  FioPattern rw;
  bool repeat_place = false;     ///< rw_sequencer=identical: all requests of a run go to one place
  std::uint32_t rwmixread = 50;  ///< percent of reads in a mixed job
  PerDirection<FioBlockSizes> bs{};
  PerDirection<std::uint64_t> blockalign{};  ///< alignment of random offsets; 0: the smallest block
  bool bs_unaligned = false;                 ///< lengths need not be multiples of the smallest block
  bool bs_is_seq_rand = false;               ///< bs=SEQUENTIAL,RANDOM
  std::uint32_t fsync = 0;                   ///< number of writes after which a flush follows; 0: none
  std::uint32_t fdatasync = 0;
  bool end_fsync = false;
  bool fua = false;                           ///< sync=sync, dsync
  RequestKind write_as = RequestKind::Write;  ///< write_mode: Write, WriteZeroes, ZoneAppend
  std::optional<double> saved{};              ///< buffer_compress_percentage, as a share of 1
  FioPlacement placement{};
  std::uint32_t num_range = 1;  ///< blocks per trim
  bool norandommap = false;
  bool visits_once = false;  ///< random_generator=lfsr
  FioDistribution distribution;
  PerDirection<std::uint32_t> percentage_random{100, 100, 100};
  std::optional<std::uint64_t> randseed;  ///< instead of the run's seed
  bool randrepeat = true;                 ///< each loop repeats the same choices
  FioSprandomPass sprandom;
  FioStride stride;
  FioZbd zbd;

  // Where to.
  std::vector<std::string> filenames;
  std::string directory;
  std::uint32_t nrfiles = 1;
  std::optional<FioRange> filesize;
  FioFileService file_service = FioFileService::RoundRobin;
  std::uint32_t file_service_run = 1;  ///< requests to a file before the next file's turn
  std::optional<FioSize> size;         ///< of all files of the job together
  std::optional<FioSize> io_size;      ///< total to transfer; nullopt: `size`
  std::optional<FioSize> offset;       ///< where the job begins in each file
  FioSize offset_increment;            ///< added for each further copy of numjobs
  std::uint64_t offset_align = 0;      ///< alignment of offsets in percent; 0: the smallest block
  std::uint64_t number_ios = 0;        ///< limit of requests; 0: no limit
  std::uint32_t loops = 1;

  // When.
  std::string ioengine = "psync";  ///< fio's default on Linux
  bool synchronous = true;         ///< the engine sends one request at a time
  std::uint32_t iodepth = 1;
  std::uint32_t numjobs = 1;
  std::uint64_t runtime_ps = 0;  ///< counted from the end of the ramp; later no request is sent; 0: no limit
  std::uint64_t ramp_ps = 0;     ///< requests completed in this time are not measured
  std::uint64_t ramp_bytes = 0;  ///< ramp_size: as ramp_ps, until so many bytes are transferred
  bool time_based = false;       ///< continue until runtime, even if the whole size was transferred
  FioRange start_delay_ps{};     ///< since the start of the run
  bool stonewall = false;
  bool new_group = false;
  bool group_reporting = false;
  std::string wait_for;
  bool exitall = false;
  FioExitWhat exit_what = FioExitWhat::Group;
  bool ends_at_zone_error = true;           ///< continue_on_error does not name writes
  PerDirection<std::uint64_t> rate{};       ///< bytes per second; 0: no limit
  PerDirection<std::uint32_t> rate_iops{};  ///< blocks of the smallest size per second; 0: no limit
  bool rate_poisson = false;
  bool rate_ignores_thinktime = false;  ///< a pause is not made up for
  bool submit_offload = false;          ///< a pause for the rate does not wait for the requests in flight
  std::uint64_t thinktime_ps = 0;
  std::uint32_t thinktime_blocks = 1;
  std::uint64_t thinktime_iotime_ps = 0;
  std::uint32_t flow = 0;  ///< weight; 0: none
  std::uint32_t flow_id = 0;
  std::uint64_t flow_sleep_ps = 0;

  std::uint64_t section_line = 0;
  std::map<std::string, std::uint64_t> lines{};  ///< line of each given key, by the key's canonical name
  /// Given options without effect: name and value, in order of their lines.
  std::vector<std::pair<std::string, std::string>> inert{};

  bool given(const std::string& key) const { return lines.contains(key); }
  /// The line to name in a message about a key: the key's line, else the section's.
  std::uint64_t line_of(const std::string& key) const {
    const auto found = lines.find(key);
    return found == lines.end() ? section_line : found->second;
  }
  bool mixed() const { return rw.reads && rw.writes; }
  /// Requests in flight: one for a synchronous engine, whatever iodepth says.
  std::uint32_t depth() const { return synchronous ? 1 : iodepth; }
};

}  // namespace flashloom
