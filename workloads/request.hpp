// One block request as every workload source yields it, and the interface of the sources.
// Pure C++: no SystemC, nothing else of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/workload_error.hpp"

namespace flashloom {

/// Those behind WriteZeroes are commands of zoned devices: IoOperation of models/block says what each does.
enum class RequestKind : std::uint8_t {
  Read,
  Write,
  Trim,
  Flush,
  WriteZeroes,
  ZoneAppend,
  ZoneOpen,
  ZoneClose,
  ZoneFinish,
  ZoneReset,
  ZoneOffline,
  ZoneCommit,
  ZoneReport,
};
inline constexpr std::size_t kRequestKinds = 13;
inline bool is_zone_request(RequestKind kind) { return kind >= RequestKind::ZoneAppend; }

/// The directive types of NVMe, with their numbers.
enum class RequestDirective : std::uint8_t { None = 0, Streams = 1, DataPlacement = 2 };

/// What was stored is gone: trims and write zeroes.
inline bool discards(RequestKind kind) { return kind == RequestKind::Trim || kind == RequestKind::WriteZeroes; }

/// One range of a trim that has several.
struct RequestRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// One host request.
struct Request {
  std::uint64_t offset = 0;  ///< bytes from the start of the device; a multiple of the sector size is not guaranteed
  std::uint64_t length = 0;  ///< bytes; 0 for a flush
  std::uint64_t arrival_ps = 0;  ///< picoseconds since the first request; 0 throughout for a closed-loop source
  RequestKind kind = RequestKind::Read;
  bool fua = false;                      ///< force unit access: complete only when durable
  std::uint8_t stream = 0;               ///< job or trace device number, for statistics and placement
  RequestDirective directive = RequestDirective::None;  ///< of a write; of a flush: see IoCommand::placement
  std::uint16_t identifier = 0;          ///< of a stream, or placement identifier, as the directive says
  std::uint16_t range_count = 0;         ///< trim of several ranges: so many; length is that of all together
  const RequestRange* ranges = nullptr;  ///< the source's, until its next request; null: offset and length say all
  /// Of a write, where the source models the software between an application and the device: bytes that the application
  /// wrote and that this write is the first to bring to the device. Less than `length` where that software adds to them.
  std::uint32_t application_bytes = 0;
  bool all_zones = false;                ///< zone open, close, finish, reset, offline: of every zone
  bool random_write_area = false;        ///< zone open: with one
  std::uint16_t writer = 0;              ///< file or process, numbered from 1 as they appear in a trace; 0: not known
};

/// A stream of requests in arrival order; constant memory, however long it is.
class RequestSource {
 public:
  RequestSource() = default;
  RequestSource(const RequestSource&) = delete;
  RequestSource& operator=(const RequestSource&) = delete;
  virtual ~RequestSource() = default;

  /// Puts the next request into `request`; false at the end.
  /// Throws WorkloadError (file, line, what) on malformed input.
  virtual bool next(Request& request) = 0;

  /// For those who leave reads out: passes over those that come next, `most` at most. Returns how many, and adds their bytes
  /// to `bytes`; next() goes on behind them. 0: another request comes next, or the source cannot do it faster than next().
  virtual std::uint64_t pass_reads(std::uint64_t /*most*/, std::uint64_t& /*bytes*/) { return 0; }

  /// As many as there is room for, and fewer only at the end: how many. As next() again and again, for those who read
  /// far ahead; `ranges` of all but the last may be gone, and after a throw all that the call has read.
  virtual std::size_t next_batch(std::span<Request> requests) {
    std::size_t n = 0;
    while (n < requests.size() && next(requests[n])) ++n;
    return n;
  }

  /// How many requests there will be in all, where that is known beforehand; else 0.
  virtual std::uint64_t expected_requests() const { return 0; }

  /// Its writes are those of a zoned device: each zone from its start on.
  virtual bool knows_zones() const { return false; }

  /// False: the source knows no times (every arrival is 0), so that only a closed loop can replay it.
  virtual bool timed() const { return true; }

  /// Origin of the request that next() gave out last.
  virtual SourcePosition position() const { return {}; }

  /// Requests so far whose time lay before an earlier one's (or beyond the range of time) and was raised to it.
  virtual std::uint64_t clamped_times() const { return 0; }
};

}  // namespace flashloom
