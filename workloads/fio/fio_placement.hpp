// Placement identifiers of a fio job's writes: dataplacement= with its options, and write_hint=.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/fio/fio_job.hpp"
#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// dataplacement: "none", "fdp", "streams".
FioPlacement::Directive parse_fio_placement(std::string_view text);
/// plid_select: "roundrobin", "random", "scheme".
FioPlacement::Select parse_fio_placement_select(std::string_view text);
/// plids: "0,2,5" in any order; returned in ascending order, as fio sorts them.
std::vector<std::uint16_t> parse_fio_placement_ids(std::string_view text);
/// write_hint: "none", "short", "medium", "long", "extreme": 0 to 4.
std::uint16_t parse_fio_write_hint(std::string_view text);

/// Gives each write of one copy of a job its directive (fio's dataplacement.c).
class FioPlacer {
 public:
  /// `files`: number of files of the job. Throws WorkloadError for identifiers that the device does not have, or a
  /// scheme file that cannot be read.
  FioPlacer(const FioJob& job, std::size_t files, const DeviceSpace& device, std::uint64_t seed);

  /// Sets directive and identifier of a write to file number `file`, which begins at `file_begin` on the device.
  void place(Request& request, std::size_t file, std::uint64_t file_begin) {
    if (directive_ != RequestDirective::None) [[unlikely]]
      choose(request, file, request.offset - file_begin);
  }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint16_t identifier;
  };
  static std::vector<Range> read_scheme(const FioJob& job);
  void choose(Request& request, std::size_t file, std::uint64_t offset);
  std::uint16_t by_scheme(std::uint64_t offset) const;

  RequestDirective directive_ = RequestDirective::None;
  FioPlacement::Select select_;
  std::vector<std::uint16_t> identifiers_;
  std::vector<Range> scheme_;
  std::vector<std::size_t> next_;  // round robin: next index into identifiers_, by file
  Random random_;
};

}  // namespace flashloom
