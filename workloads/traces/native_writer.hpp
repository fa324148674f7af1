// Writes traces in the compact form (native.hpp), in constant memory.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "workloads/request.hpp"

namespace flashloom {

class NativeTraceWriter {
 public:
  /// `timed`: RequestSource::timed() of the source. Errors of `out` stay in its state; the caller checks them.
  NativeTraceWriter(std::ostream& out, bool timed);

  /// Appends a request. Throws std::invalid_argument for an invalid request: a flush with an extent, another kind
  /// without one, an arrival before the previous one, a zone command.
  void write(const Request& request);
  /// Writes the end block; readers treat a file without it as truncated.
  void finish();

  std::uint64_t requests() const { return requests_; }

 private:
  void write_block();
  void put_block(std::uint32_t requests);
  void put_marks(const Request& request, std::uint16_t identifier, std::uint16_t writer);
  void put_varint(std::uint64_t value);

  std::ostream& out_;
  std::vector<Request> block_;
  std::string payload_;
  std::uint64_t requests_ = 0;
  std::uint64_t latest_ps_ = 0;
};

/// Copies a source into `out`; returns the number of requests.
std::uint64_t write_native_trace(RequestSource& source, std::ostream& out);

}  // namespace flashloom
