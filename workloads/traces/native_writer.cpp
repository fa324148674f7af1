#include "workloads/traces/native_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "workloads/traces/native.hpp"

namespace flashloom {
namespace {

namespace endian = boost::endian;

void put(std::ostream& out, const unsigned char* bytes, std::size_t size) {
  out.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

/// Greatest common divisor; fast if `unit` divides `value`.
std::uint64_t common(std::uint64_t unit, std::uint64_t value) {
  return unit != 0 && value % unit == 0 ? unit : std::gcd(unit, value);
}

/// Distance of two numbers modulo 2^64, zigzag-coded so that near numbers give small codes: 0, -1, 1, -2, 2, ...
std::uint64_t zigzag(std::uint64_t from, std::uint64_t to) {
  const std::uint64_t distance = to - from;
  return (distance << 1U) ^ (0 - (distance >> 63U));
}

bool is_marked(const Request& request) {
  return request.directive != RequestDirective::None || request.identifier != 0 || request.writer != 0;
}

}  // namespace

std::uint32_t native::crc32(const void* bytes, std::size_t size, std::uint32_t before) {
  return static_cast<std::uint32_t>(::crc32_z(before, static_cast<const Bytef*>(bytes), size));
}

NativeTraceWriter::NativeTraceWriter(std::ostream& out, bool timed) : out_(out) {
  block_.reserve(native::kBlockRequests);
  payload_.reserve(native::kLongestPayload);
  std::array<unsigned char, native::kHeaderBytes> header{};
  native::kMagic.copy(reinterpret_cast<char*>(header.data()), native::kMagic.size());
  endian::store_little_u16(&header[8], native::kVersion);
  endian::store_little_u16(&header[10], timed ? 0 : native::kUntimed);
  endian::store_little_u32(&header[12], native::crc32(header.data(), 12));
  put(out_, header.data(), header.size());
}

void NativeTraceWriter::write(const Request& request) {
  if (is_zone_request(request.kind)) throw std::invalid_argument("native trace: a command of a zoned device");
  const bool flush = request.kind == RequestKind::Flush;
  if (flush != (request.length == 0) || (flush && request.offset != 0) ||
      request.offset > std::numeric_limits<std::uint64_t>::max() - request.length)
    throw std::invalid_argument("native trace: a request of offset " + std::to_string(request.offset) + " and length " +
                                std::to_string(request.length));
  if (request.arrival_ps < latest_ps_) throw std::invalid_argument("native trace: arrivals out of order");
  latest_ps_ = request.arrival_ps;
  block_.push_back(request);
  ++requests_;
  if (block_.size() == native::kBlockRequests) write_block();
}

void NativeTraceWriter::finish() {
  if (!block_.empty()) write_block();
  payload_.resize(native::kEndBytes);
  endian::store_little_u64(reinterpret_cast<unsigned char*>(payload_.data()), requests_);
  put_block(0);
}

void NativeTraceWriter::write_block() {
  std::uint64_t time_unit = 0;
  std::uint64_t address_unit = 0;
  std::uint64_t previous_ps = block_.front().arrival_ps;
  for (const Request& request : block_) {
    time_unit = common(time_unit, request.arrival_ps - previous_ps);
    previous_ps = request.arrival_ps;
    address_unit = common(common(address_unit, request.offset), request.length);
  }
  if (time_unit == 0) time_unit = 1;
  if (address_unit == 0) address_unit = 1;

  payload_.clear();
  put_varint(time_unit);
  put_varint(address_unit);
  put_varint(block_.front().arrival_ps);
  previous_ps = block_.front().arrival_ps;
  std::uint64_t length = 0;
  std::uint64_t end = 0;
  std::uint8_t stream = 0;
  std::uint16_t identifier = 0, writer = 0;
  const bool marked = std::ranges::any_of(block_, is_marked);
  for (const Request& request : block_) {
    const bool flush = request.kind == RequestKind::Flush;
    const bool zeroes = request.kind == RequestKind::WriteZeroes;
    unsigned tag = static_cast<unsigned>(zeroes ? RequestKind::Write : request.kind);
    if (zeroes) tag |= native::kZeroes;
    if (request.fua) tag |= native::kFua;
    if (request.stream != stream) tag |= native::kStream;
    if (!flush && request.length == length) tag |= native::kSameLength;
    if (!flush && request.offset == end) tag |= native::kSequential;
    if (request.arrival_ps == previous_ps) tag |= native::kSameTime;
    payload_.push_back(static_cast<char>(tag));
    if ((tag & native::kStream) != 0) payload_.push_back(static_cast<char>(request.stream));
    if (marked) {
      put_marks(request, identifier, writer);
      identifier = request.identifier;
      writer = request.writer;
    }
    if ((tag & native::kSameTime) == 0) put_varint((request.arrival_ps - previous_ps) / time_unit);
    stream = request.stream;
    previous_ps = request.arrival_ps;
    if (flush) continue;
    if ((tag & native::kSameLength) == 0) put_varint(request.length / address_unit);
    if ((tag & native::kSequential) == 0) put_varint(zigzag(end / address_unit, request.offset / address_unit));
    length = request.length;
    end = request.offset + request.length;
  }
  put_block(static_cast<std::uint32_t>(block_.size()) | (marked ? native::kMarked : 0));
  block_.clear();
}

void NativeTraceWriter::put_block(std::uint32_t requests) {
  std::array<unsigned char, native::kBlockHeadBytes> head{};
  endian::store_little_u32(&head[0], static_cast<std::uint32_t>(payload_.size()));
  endian::store_little_u32(&head[4], requests);
  endian::store_little_u32(&head[8], native::crc32(payload_.data(), payload_.size(), native::crc32(head.data(), 8)));
  put(out_, head.data(), head.size());
  out_.write(payload_.data(), static_cast<std::streamsize>(payload_.size()));
}

void NativeTraceWriter::put_marks(const Request& request, std::uint16_t identifier, std::uint16_t writer) {
  unsigned marks = static_cast<unsigned>(request.directive);
  if (request.identifier != identifier) marks |= native::kIdentifier;
  if (request.writer != writer) marks |= native::kWriter;
  payload_.push_back(static_cast<char>(marks));
  if ((marks & native::kIdentifier) != 0) put_varint(request.identifier);
  if ((marks & native::kWriter) != 0) put_varint(request.writer);
}

void NativeTraceWriter::put_varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) payload_.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
  payload_.push_back(static_cast<char>(value));
}

std::uint64_t write_native_trace(RequestSource& source, std::ostream& out) {
  NativeTraceWriter writer(out, source.timed());
  Request request;
  while (source.next(request)) writer.write(request);
  writer.finish();
  return writer.requests();
}

}  // namespace flashloom
