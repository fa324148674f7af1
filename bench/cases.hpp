// The benchmark cases: a device, how it is prepared, and a workload.
#pragma once

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

struct BenchCase {
  std::string name;                    ///< "peer/read_4k"
  std::string summary;                 ///< one line
  std::string device;                  ///< device file, from the root of the source tree
  std::vector<std::string> overrides;  ///< as for --set
  std::uint32_t iodepth = 1;
  std::uint64_t requests = 0;  ///< host requests at scale 1
  /// The requests of the measured run, `count` of them.
  std::function<std::unique_ptr<RequestSource>(const BenchPaths& paths, const DeviceSpace& space, std::uint64_t count)>
      workload;
};

/// All cases, in the order in which they run by default.
const std::vector<BenchCase>& bench_cases();
/// Throws std::invalid_argument that lists the names.
const BenchCase& bench_case(const std::string& name);

}  // namespace flashloom
