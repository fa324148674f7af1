// oracleGeneral, libCacheSim's binary traces of cache accesses (traceReader/customizedReader/oracle/oracleGeneralBin.h).
// Little-endian, no header, 24 bytes an access:
//     time u32 (seconds), object u64, size u32 (bytes), number of the next access of the object i64 (none: -1 or 2^63-1)
// An access reads the object's page, as in the format keys: the page is the object's number modulo the pages that 64
// bits address, and its size is not used. As in libCacheSim, accesses of size 0 are ignored.
#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <limits>

#include "workloads/traces/record_source.hpp"

namespace flashloom::trace_format::oracle_general {
namespace {

namespace endian = boost::endian;

constexpr std::uint64_t kTickPs = 1'000'000'000'000;  // seconds
constexpr std::size_t kRecord = 24;

/// Whether the next access of the object lies behind this one, number `index`, or there is none.
bool comes_later(const unsigned char* record, std::uint64_t index) {
  constexpr std::uint64_t kMostAccesses = std::uint64_t{1} << 48U;
  const std::uint64_t next = endian::load_little_u64(record + 16);
  return next == ~std::uint64_t{0} || next == ~std::uint64_t{0} >> 1U || (next > index && next < kMostAccesses);
}

class OracleGeneralReader final : public RecordSource {
 public:
  OracleGeneralReader(TraceInput input, std::uint64_t page)
      : RecordSource(kTickPs), bytes_(std::move(input)), page_(page) {}

  SourcePosition position() const override { return {bytes_.file(), number_, PositionUnit::Record}; }

 private:
  bool read(TraceRecord& record) override {
    for (;;) {
      ++number_;
      const unsigned char* const bytes = bytes_.take(kRecord);
      if (bytes == nullptr) return false;
      if (!comes_later(bytes, number_ - 1)) throw FieldError("the next access of the object does not come later");
      if (endian::load_little_u32(bytes + 12) == 0) continue;
      record.time.ticks = endian::load_little_u32(bytes);
      record.offset = endian::load_little_u64(bytes + 4) % (std::numeric_limits<std::uint64_t>::max() / page_) * page_;
      record.length = page_;
      return true;
    }
  }

  RecordBytes bytes_;
  std::uint64_t page_;
  std::uint64_t number_ = 0;
};

/// No field has a fixed value, but times do not fall, and next accesses come later: all must hold, and it is no text.
int score(const TraceSample& sample) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(sample.bytes.data());
  const std::size_t records = sample.bytes.size() / kRecord;
  if (records == 0 || (sample.bytes.size() < TraceSample::kBytes && sample.bytes.size() % kRecord != 0)) return 0;
  if (std::all_of(bytes, bytes + kRecord, [](unsigned char c) { return c >= 9 && c < 127; })) return 0;
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < records; ++i) {
    const unsigned char* const record = bytes + i * kRecord;
    const std::uint32_t time = endian::load_little_u32(record);
    if (time < previous || !comes_later(record, i)) return 0;
    previous = time;
  }
  return 90;  // a format with a mark of its own goes first
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext& context) {
  return std::make_unique<OracleGeneralReader>(std::move(input),
                                               parse_integer(context.parameters.at("page_bytes"), "page_bytes"));
}

const TraceFormatRegistration registration{
    {.name = "oracle_general",
     .aliases = {"oracleGeneral", "libcachesim"},
     .summary = "libCacheSim's oracleGeneral binary records: objects as pages, reads",
     .parameters = {{.name = "page_bytes",
                     .default_value = "4096",
                     .choices = {"512", "4096", "8192", "16384"},
                     .help = "bytes of a page"}},
     .score = &score,
     .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::oracle_general
