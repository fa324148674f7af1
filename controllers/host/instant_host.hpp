// Drives firmware on the instant clock: one request at a time, each to quiescence. For preconditioning, audits and
// tests.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "controllers/host/oracle.hpp"
#include "controllers/host/payload_store.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/ssd/firmware.hpp"
#include "workloads/request.hpp"

namespace flashloom {

class InstantHost {
 public:
  /// `oracle` may be null, and so may `payloads`, which needs it.
  InstantHost(Runtime& runtime, Firmware& firmware, std::uint32_t sector_bytes, Oracle* oracle,
              PayloadStore* payloads = nullptr)
      : runtime_(runtime), firmware_(firmware), sector_bytes_(sector_bytes), oracle_(oracle), payloads_(payloads) {}

  /// Carries out one request; the ranges of a trim one after the other, moved so that the first begins at the request's
  /// offset. Throws std::logic_error if the firmware does not finish it.
  IoStatus run(const Request& request);
  /// A write of `bytes`, which the payload store keeps.
  IoStatus write(const Request& request, const std::byte* bytes);
  /// The same as run(), but power may be cut meanwhile: then returns nothing, and the caller must destroy all
  /// coroutines at once.
  std::optional<IoStatus> try_run(const Request& request);
  /// Carries out a command of the caller, with its tokens and without the oracle. Throws std::logic_error as run()
  /// does.
  void carry_out(IoCommand& command);
  /// A read whose contents go to `tokens`, one a sector, without the oracle.
  IoStatus read(const Request& request, SectorToken* tokens);
  /// Firmware::fill_span(), and its firmware's fill_by_rule(): returns the unit at which to go on.
  Firmware::FillSpan fill_span(std::uint64_t units, std::uint64_t request_bytes) const;
  std::uint64_t fill_by_rule(const Firmware::FillSpan& span, std::uint64_t request_bytes);
  /// All requests of a source.
  void run(RequestSource& source);
  /// The host is idle: lets the firmware do at most so many steps of background work. Returns how many it did.
  std::uint64_t idle(std::uint64_t steps);
  /// Makes the firmware quiescent, as saving needs: an erase may be waiting for further writes.
  void come_to_rest();

 private:
  Task<void> step(bool& more);
  Task<void> execute(IoCommand& command, bool& done);
  Task<void> execute_all(RequestSource& source, bool& done);

  Runtime& runtime_;
  Firmware& firmware_;
  std::uint32_t sector_bytes_;
  Oracle* oracle_;
  PayloadStore* payloads_;
  const std::byte* bytes_ = nullptr;  // of the write that is carried out
  std::vector<SectorToken> tokens_;
};

}  // namespace flashloom
