// One job section of a fio job file, with the global section applied.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace flashloom {

/// rw=: which directions, and whether offsets are random.
struct FioPattern {
  bool reads = true;
  bool writes = false;
  bool trims = false;
  bool random = false;
};

/// A size in bytes, or in percent of the device.
struct FioSize {
  std::uint64_t value = 0;
  bool percent = false;
};

/// Values as written; what depends on the device is checked when the job is opened (fio_source.hpp).
struct FioJob {
  std::string file;  ///< job file, for messages
  std::string name;
  FioPattern rw;
  std::uint32_t rwmixread = 50;                       ///< percent of reads in a mixed job
  std::array<std::uint64_t, 3> bs{4096, 4096, 4096};  ///< bytes: reads, writes, trims
  std::uint32_t iodepth = 1;
  std::optional<FioSize> size;           ///< of the region; none: from the offset to the end of the device
  std::optional<std::uint64_t> io_size;  ///< bytes to transfer in all; none: the region once
  FioSize offset;                        ///< begin of the region
  std::uint64_t runtime_ps = 0;          ///< simulated time after which no request is sent; 0: no limit
  bool time_based = false;               ///< go on until runtime, however much was transferred
  std::uint32_t numjobs = 1;
  std::optional<std::uint64_t> randseed;  ///< instead of the run's seed
  std::uint32_t fsync = 0;                ///< a flush after so many writes; 0: none
  bool norandommap = false;               ///< random offsets may repeat before all were visited
  std::uint64_t section_line = 0;
  std::map<std::string, std::uint64_t> lines;  ///< line of each key given, by its canonical name

  /// Where a message about a key points to: its line, else the section's.
  std::uint64_t line_of(const std::string& key) const {
    const auto found = lines.find(key);
    return found == lines.end() ? section_line : found->second;
  }
};

}  // namespace flashloom
