// Requests of one size at uniformly random places of a range: steady-state preconditioning and tests.
#pragma once

#include <cstdint>

#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

struct UniformRandomOptions {
  std::uint64_t offset = 0;  ///< start of the range, bytes
  std::uint64_t length = 0;  ///< bytes of the range; a rest smaller than a request is not used
  std::uint64_t request_size = 4096;
  std::uint64_t requests = 0;  ///< total number of requests
  RequestKind kind = RequestKind::Write;
  std::uint64_t seed = 1;
};

/// Draws blocks with replacement, so blocks repeat. Throws std::invalid_argument if the range holds no request.
class UniformRandomSource final : public RequestSource {
 public:
  explicit UniformRandomSource(const UniformRandomOptions& options);

  bool next(Request& request) override;
  std::uint64_t expected_requests() const override { return options_.requests; }

 private:
  UniformRandomOptions options_;
  std::uint64_t blocks_;
  std::uint64_t given_ = 0;
  Random random_;
};

}  // namespace flashloom
