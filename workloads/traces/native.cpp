// Reads Flashloom's compact traces, which `flashloom trace convert` writes; native.hpp describes the format.
#include "workloads/traces/native.hpp"

#include <boost/endian/conversion.hpp>
#include <limits>

#include "workloads/traces/record_source.hpp"

namespace flashloom::trace_format::flt {
namespace {

namespace endian = boost::endian;

constexpr const char* kCutShort = "the block ends inside a request";
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// Decodes the payload of a block. Throws FieldError if the payload is malformed.
class Payload {
 public:
  Payload() = default;
  Payload(const unsigned char* bytes, std::size_t size) : at_(bytes), end_(bytes + size) {}

  bool empty() const { return at_ == end_; }

  unsigned byte() {
    if (at_ == end_) throw FieldError(kCutShort);
    return *at_++;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    const unsigned char* at = at_;
    for (unsigned shift = 0;; shift += 7) {
      if (at == end_) throw FieldError(kCutShort);
      const std::uint64_t part = *at++;
      if (shift == 63 && part > 1) throw FieldError("number of more than 64 bits");
      value |= (part & 0x7fU) << shift;
      if (part < 0x80) {
        at_ = at;
        return value;
      }
    }
  }

 private:
  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;
};

std::uint64_t scaled(std::uint64_t value, std::uint64_t unit, const char* what) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(value, unit, &product)) throw FieldError(std::string(what) + " of more than 64 bits");
  return product;
}

class NativeReader final : public RequestSource {
 public:
  explicit NativeReader(TraceInput input)
      : bytes_(std::move(input), native::kBlockHeadBytes + native::kLongestPayload) {
    try {
      read_header();
    } catch (const FieldError& error) {
      throw WorkloadError(bytes_.file(), 0, error.what());
    }
  }

  bool next(Request& request) override {
    try {
      if (left_ == 0 && !next_block()) return false;
      ++number_;
      read_request(request);
    } catch (const FieldError& error) {
      throw WorkloadError(position(), error.what());
    }
    return true;
  }

  std::size_t next_batch(std::span<Request> requests) override {
    std::size_t n = 0;
    while (n < requests.size() && NativeReader::next(requests[n])) ++n;
    return n;
  }

  bool timed() const override { return timed_; }
  SourcePosition position() const override { return {bytes_.file(), number_, PositionUnit::Record}; }

 private:
  void read_header() {
    const unsigned char* const header = bytes_.take(native::kHeaderBytes);
    if (header == nullptr) throw FieldError("empty file: no requests");
    const std::string_view magic(reinterpret_cast<const char*>(header), native::kMagic.size());
    if (magic != native::kMagic) throw FieldError("no Flashloom trace: its first bytes are others");
    if (endian::load_little_u32(header + 12) != native::crc32(header, 12)) throw FieldError("the header is corrupt");
    const unsigned version = endian::load_little_u16(header + 8);
    const unsigned flags = endian::load_little_u16(header + 10);
    if (version != native::kVersion || flags > native::kUntimed)
      throw FieldError("Flashloom trace of version " + std::to_string(version) + ", flags " + std::to_string(flags) +
                       "; this program reads version " + std::to_string(native::kVersion));
    timed_ = flags != native::kUntimed;
  }

  /// False at the end of the trace. Errors name the first request of the block.
  bool next_block() {
    if (ended_) return false;
    ++number_;
    const std::uint32_t requests = read_block();
    --number_;
    if (requests != 0) return true;
    ended_ = true;
    if (number_ == 0) throw WorkloadError(bytes_.file(), 0, "no requests");
    return false;
  }

  std::uint32_t read_block() {
    if (!payload_.empty()) throw FieldError("the block before has bytes left over");
    const unsigned char* const head = bytes_.take(native::kBlockHeadBytes);
    if (head == nullptr) throw FieldError("truncated: the file ends without the mark of its end");
    const std::uint32_t size = endian::load_little_u32(head);
    const std::uint32_t count = endian::load_little_u32(head + 4);
    const std::uint32_t requests = count & ~native::kMarked;
    marked_ = count != requests;
    const std::uint32_t sum = endian::load_little_u32(head + 8);
    const std::uint32_t head_sum = native::crc32(head, 8);
    if (size > native::kLongestPayload || requests > native::kBlockRequests || size == 0)
      throw FieldError("the head of the block is corrupt");
    const unsigned char* const payload = bytes_.take(size);
    if (payload == nullptr) throw FieldError("truncated: the file ends after the head of a block");
    if (native::crc32(payload, size, head_sum) != sum) throw FieldError("the block is corrupt: checksum differs");
    if (requests == 0) {
      check_end(payload, size);
    } else {
      payload_ = Payload(payload, size);
      time_unit_ = payload_.varint();
      address_unit_ = payload_.varint();
      const std::uint64_t first_ps = payload_.varint();
      if (time_unit_ == 0 || address_unit_ == 0) throw FieldError("the block has a unit of 0");
      if (first_ps < latest_ps_) throw FieldError("the block begins before the end of the one before");
      latest_ps_ = first_ps;
      length_ = end_ = length_units_ = end_units_ = 0;
      stream_ = 0;
      identifier_ = writer_ = 0;
    }
    left_ = requests;
    return requests;
  }

  void check_end(const unsigned char* payload, std::size_t size) {
    const std::uint64_t read = number_ - 1;
    if (size != native::kEndBytes) throw FieldError("the mark of the end is corrupt");
    const std::uint64_t said = endian::load_little_u64(payload);
    if (said != read)
      throw FieldError("the end says " + std::to_string(said) + " requests, " + std::to_string(read) + " were there");
    if (bytes_.take(1) != nullptr) throw FieldError("bytes after the end of the trace");
  }

  void read_request(Request& request) {
    --left_;
    const unsigned tag = payload_.byte();
    request.kind = static_cast<RequestKind>(tag & native::kKind);
    if ((tag & native::kZeroes) != 0) {
      if (request.kind != RequestKind::Write) throw FieldError("unknown kind of request");
      request.kind = RequestKind::WriteZeroes;
    }
    request.fua = (tag & native::kFua) != 0;
    if ((tag & native::kStream) != 0) stream_ = static_cast<std::uint8_t>(payload_.byte());
    request.stream = stream_;
    request.directive = RequestDirective::None;
    request.identifier = request.writer = 0;
    if (marked_) [[unlikely]]
      read_marks(request);
    if ((tag & native::kSameTime) == 0) {
      const std::uint64_t passed = scaled(payload_.varint(), time_unit_, "time");
      if (passed > kMost - latest_ps_) throw FieldError("time of more than 64 bits");
      latest_ps_ += passed;
    }
    request.arrival_ps = latest_ps_;
    request.offset = request.length = 0;
    if (request.kind == RequestKind::Flush) return;
    if ((tag & native::kSameLength) == 0) {
      length_units_ = payload_.varint();
      length_ = scaled(length_units_, address_unit_, "length");
    }
    if ((tag & native::kSequential) == 0) {
      const std::uint64_t distance = payload_.varint();
      const std::uint64_t signed_distance = (distance >> 1U) ^ (0 - (distance & 1U));
      end_units_ += signed_distance;
      end_ = scaled(end_units_, address_unit_, "offset");
    }
    request.offset = end_;
    request.length = length_;
    check_extent(request.kind, request.offset, request.length);
    end_ += length_;
    end_units_ += length_units_;
  }

  void read_marks(Request& request) {
    const unsigned marks = payload_.byte();
    const unsigned directive = marks & native::kDirective;
    if (directive > static_cast<unsigned>(RequestDirective::DataPlacement)) throw FieldError("unknown directive");
    if ((marks & native::kIdentifier) != 0) identifier_ = number16("identifier");
    if ((marks & native::kWriter) != 0) writer_ = number16("writer");
    request.directive = static_cast<RequestDirective>(directive);
    request.identifier = identifier_;
    request.writer = writer_;
  }

  std::uint16_t number16(const char* what) {
    const std::uint64_t number = payload_.varint();
    if (number > std::numeric_limits<std::uint16_t>::max())
      throw FieldError(std::string(what) + " of more than 16 bits");
    return static_cast<std::uint16_t>(number);
  }

  RecordBytes bytes_;
  Payload payload_;
  std::uint64_t time_unit_ = 1;
  std::uint64_t address_unit_ = 1;
  std::uint64_t latest_ps_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t length_units_ = 0;  // length_ in address units
  std::uint64_t end_units_ = 0;     // end_ in address units
  std::uint64_t number_ = 0;        // requests given out
  std::uint32_t left_ = 0;          // requests left in the block
  std::uint16_t identifier_ = 0;
  std::uint16_t writer_ = 0;
  std::uint8_t stream_ = 0;
  bool marked_ = false;  // the requests of the block have marks
  bool timed_ = true;
  bool ended_ = false;
};

int score(const TraceSample& sample) { return sample.bytes.starts_with(native::kMagic) ? 100 : 0; }

const TraceFormatRegistration registration{{.name = "flashloom",
                                            .aliases = {"native"},
                                            .summary = "compact binary form, from `flashloom trace convert`",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make_reader<NativeReader>}};

}  // namespace
}  // namespace flashloom::trace_format::flt
