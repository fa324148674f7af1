// Requests of one size at uniformly random places of a range: steady-state preconditioning and tests.
#pragma once

#include <cstdint>

#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

struct UniformRandomOptions {
  std::uint64_t offset = 0;  ///< bytes: begin of the range
  std::uint64_t length = 0;  ///< bytes of the range; what is left of the last whole request is not used
  std::uint64_t request_size = 4096;
  std::uint64_t requests = 0;  ///< how many in all
  RequestKind kind = RequestKind::Write;
  std::uint64_t seed = 1;
};

/// No memory of what was drawn before: blocks repeat. Throws std::invalid_argument if the range holds no request.
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
