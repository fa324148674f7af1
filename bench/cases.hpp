// The benchmark cases: a device, how it is prepared, and a workload.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Where the cases find their inputs.
struct BenchPaths {
  std::string source;  ///< root of the source tree: bench/, configs/, workloads/
};

/// The part of a case that is measured.
enum class BenchKind : std::uint8_t {
  Timed,         ///< requests on the timed clock, after preconditioning
  Precondition,  ///< the preconditioning itself; `requests` has no meaning
  Cache,         ///< requests as page references to a page cache without time; no device
};

struct BenchCase {
  std::string name;                    ///< "peer/read_4k"
  std::string summary;                 ///< one line
  std::string device;                  ///< device file, from the root of the source tree
  std::vector<std::string> overrides;  ///< as for --set
  std::uint32_t iodepth = 1;           ///< 0: open loop, by arrival times
  std::uint64_t requests = 0;          ///< host requests at scale 1
  /// The requests of the measured run, `count` of them.
  std::function<std::unique_ptr<RequestSource>(const BenchPaths& paths, const DeviceSpace& space, std::uint64_t count)>
      workload;
  BenchKind kind = BenchKind::Timed;
  /// The case fails if its SSD has done no flash operation after this many requests; 0: after `requests`.
  std::uint64_t flash_by = 0;
  bool by_default = true;  ///< false: the case takes too long, and runs only when named
  /// `sizes`: overrides, after the case's own, for a small device and one twice as large; their difference in memory
  /// gives the memory for each page. Cases with the same `memory_of` share one measurement; empty: memory is not
  /// measured.
  std::string memory_of;
  std::array<std::vector<std::string>, 2> sizes;

  std::uint64_t flash_within() const { return flash_by == 0 ? requests : flash_by; }
};

/// All cases, in the order in which they run by default.
const std::vector<BenchCase>& bench_cases();
/// Throws std::invalid_argument that lists the names.
const BenchCase& bench_case(const std::string& name);

}  // namespace flashloom
