// One block request as every workload source yields it, and the interface of the sources.
// Pure C++: no SystemC, and of this code base only workload_error.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/workload_error.hpp"

namespace flashloom {

/// The kinds after WriteZeroes are commands of zoned devices; IoOperation of models/block explains them.
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

/// The directive types of NVMe, with NVMe's numbers.
enum class RequestDirective : std::uint8_t { None = 0, Streams = 1, DataPlacement = 2 };

/// Whether the request discards stored data: trims and write zeroes.
inline bool discards(RequestKind kind) { return kind == RequestKind::Trim || kind == RequestKind::WriteZeroes; }

/// One range of a trim with several ranges, in bytes.
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
  bool fua = false;                                     ///< force unit access: complete only when durable
  std::uint8_t stream = 0;                              ///< job or trace device number, for statistics and placement
  RequestDirective directive = RequestDirective::None;  ///< of a write; of a flush: see IoCommand::placement
  std::uint16_t identifier = 0;                         ///< stream or placement identifier, according to the directive
  std::uint16_t range_count = 0;         ///< trim: number of `ranges`, whose total is `length`; 0: a single range
  const RequestRange* ranges = nullptr;  ///< the source's, valid until its next request; null: offset and length apply
  /// Write of a source that models the software between an application and the device: bytes written by the application
  /// that this request is the first to bring to the device. Less than `length` where the software adds data of its own.
  std::uint32_t application_bytes = 0;
  bool all_zones = false;          ///< zone open, close, finish, reset, offline: applies to every zone
  bool random_write_area = false;  ///< zone open: with a random write area
  std::uint16_t writer = 0;        ///< file or process, numbered from 1 as they appear in a trace; 0: not known
};

/// A stream of requests in arrival order, in constant memory.
class RequestSource {
 public:
  RequestSource() = default;
  RequestSource(const RequestSource&) = delete;
  RequestSource& operator=(const RequestSource&) = delete;
  virtual ~RequestSource() = default;

  /// Puts the next request into `request`; false at the end.
  /// Throws WorkloadError (file, line, what) on malformed input.
  virtual bool next(Request& request) = 0;

  /// Skips up to `most` reads that come next, for a caller that does not need reads. Returns how many, and adds their
  /// bytes to `bytes`; next() continues after them. Returns 0 if the next request is no read, or if the source cannot
  /// skip reads faster than next().
  virtual std::uint64_t pass_reads(std::uint64_t /*most*/, std::uint64_t& /*bytes*/) { return 0; }

  /// Fills `requests` as repeated calls of next() would; returns how many, fewer than the size only at the end. Only
  /// the last request's `ranges` are sure to be valid. If it throws, the requests read by this call are lost.
  virtual std::size_t next_batch(std::span<Request> requests) {
    std::size_t n = 0;
    while (n < requests.size() && next(requests[n])) ++n;
    return n;
  }

  /// Total number of requests if known beforehand, else 0.
  virtual std::uint64_t expected_requests() const { return 0; }

  /// Whether the source keeps to the rules of a zoned device: it writes each zone from its start on.
  virtual bool knows_zones() const { return false; }

  /// False: the source has no times (every arrival is 0), so that only a closed loop can replay it.
  virtual bool timed() const { return true; }

  /// Origin of the request that next() gave out last.
  virtual SourcePosition position() const { return {}; }

  /// Number of requests so far whose time was replaced by the latest time before it, because it lay before that or
  /// beyond the range of time.
  virtual std::uint64_t clamped_times() const { return 0; }
};

}  // namespace flashloom
