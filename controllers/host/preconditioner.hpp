// Brings a drive into the state that a measurement begins from: filled, then overwritten at random until its write
// amplification has settled (SNIA Solid State Storage Performance Test Specification: preconditioning to steady state).
#pragma once

#include <cstdint>
#include <functional>

#include "controllers/host/instant_host.hpp"
#include "controllers/host/precondition_config.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

struct PreconditionResult {
  std::uint64_t filled_bytes = 0;
  std::uint32_t passes = 0;  ///< capacity writes of random overwrites
  double waf = 1.0;          ///< of the last pass, in mapping units: (data + copies + padding) / data
  bool settled = false;      ///< two successive passes differed by less than 1 %, or parts of one after a drawn state
  bool drawn = false;        ///< the steady state was drawn (DrawnSteadySource); `waf` is then of overwrites after it
  std::uint64_t seed = 0;    ///< of the random overwrites

  void state(StateArchive& archive) { archive(filled_bytes, passes, waf, settled, drawn, seed); }
};

class Preconditioner {
 public:
  /// Relative difference of WAF between successive capacity writes that counts as settled.
  static constexpr double kSettled = 0.01;

  /// How a drive is filled: by a rule where possible (Firmware::fill_span), or by writes. The result is the same.
  enum class Fill : std::uint8_t { ByRule, Written };

  /// `seed`: of the random overwrites.
  Preconditioner(const PreconditionConfig& config, std::uint64_t seed, InstantHost& host, const Firmware& firmware,
                 Fill fill = Fill::ByRule)
      : config_(config), seed_(seed), host_(host), firmware_(firmware), fill_(fill) {}

  /// `progress` is told the share that is done of the current step (0 ... 1) and its name; may be empty.
  PreconditionResult run(const std::function<void(const char* step, double share)>& progress);

 private:
  void fill(PreconditionResult& result, const std::function<void(const char*, double)>& progress);
  void write(std::uint64_t begin, std::uint64_t end, const std::function<void(std::uint64_t)>& written);
  bool draw(PreconditionResult& result, const std::function<void(const char*, double)>& progress);
  double overwrite(std::uint64_t bytes, std::uint64_t requests);
  void steady(PreconditionResult& result, const std::function<void(const char*, double)>& progress);

  const PreconditionConfig& config_;
  std::uint64_t seed_;
  InstantHost& host_;
  const Firmware& firmware_;
  Fill fill_;
  std::uint64_t sequences_ = 0;  // of random overwrites so far
};

}  // namespace flashloom
