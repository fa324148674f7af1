// What the jobs of a workload are made of, and how much of each is data of the ones before it: `flashloom workload
// F.toml`.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/page_set.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// One job: a day of a user, say. Pages have 4 KiB; a request accesses each page that it touches once.
struct DayInfo {
  static constexpr std::uint64_t kPage = 4096;

  std::string name;
  std::uint64_t requests = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t accesses = 0;           ///< of pages
  std::uint64_t footprint_pages = 0;    ///< distinct ones
  std::uint64_t written_pages = 0;      ///< of those, written
  std::uint64_t repeated_accesses = 0;  ///< to pages that the day has accessed already
  std::uint64_t previous_pages = 0;     ///< of the footprint: in the footprint of the day before
  std::uint64_t earlier_pages = 0;      ///< of the footprint: in that of any day before
  std::uint64_t earlier_accesses = 0;   ///< to pages of any day before

  double write_share() const;  ///< of the bytes read and written; 0 without any
};

/// Reads days one after the other; memory grows with the footprints of all days together, of the last two twice.
class DayAnalysis {
 public:
  /// A further day, to its end; its addresses count from `offset` (bytes). Throws what the source throws.
  const DayInfo& add(const std::string& name, RequestSource& source, std::uint64_t offset = 0);
  const std::vector<DayInfo>& days() const { return days_; }
  /// Distinct pages of all days.
  std::uint64_t footprint_pages() const { return earlier_.size(); }

 private:
  std::vector<DayInfo> days_;
  PageSet previous_;
  PageSet earlier_;
};

/// Schema "flashloom.workload_info/1"; `name` is the input's base name.
nlohmann::ordered_json to_json(const DayAnalysis& analysis, const std::string& name);
/// A table for people.
std::string to_text(const DayAnalysis& analysis, const std::string& name);

}  // namespace flashloom
