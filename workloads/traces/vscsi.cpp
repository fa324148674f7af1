// vscsi: the binary records of VMware's vscsiStats, CloudPhysics' traces (layout as in libCacheSim, traceReader/
// customizedReader/vscsi.h, and its scripts). Little-endian, no header, one SCSI command per record:
//     version 1, 32 bytes   serial u32, length u32 (bytes), nSG u32, command u16, version u16, lbn u64, time u64
//     version 2, 40 bytes   command u16, version u16, serial u32, length u32, nSG u32, lbn u64, time u64, response u64
// The upper byte of `version` is 1 or 2; blocks have 512 bytes; times are microseconds. Commands that move no blocks
// are skipped.
#include <algorithm>
#include <boost/endian/conversion.hpp>

#include "workloads/traces/record_source.hpp"
#include "workloads/traces/scsi.hpp"

namespace flashloom::trace_format::vscsi {
namespace {

namespace endian = boost::endian;

constexpr std::uint64_t kTickPs = 1'000'000;
constexpr std::uint64_t kSector = 512;

struct Layout {
  unsigned version;
  std::size_t size, command_at, version_at, length_at, lbn_at, time_at;
};
constexpr Layout kLayouts[] = {
    {.version = 1, .size = 32, .command_at = 12, .version_at = 14, .length_at = 4, .lbn_at = 16, .time_at = 24},
    {.version = 2, .size = 40, .command_at = 0, .version_at = 2, .length_at = 8, .lbn_at = 16, .time_at = 24}};

bool has_version(const unsigned char* record, const Layout& layout) {
  return record[layout.version_at + 1] == layout.version;
}

/// Percentage of the sample's records that have the layout's version and a one-byte operation code.
int fit(std::string_view bytes, const Layout& layout) {
  const std::size_t records = std::min<std::size_t>(bytes.size() / layout.size, 64);
  std::size_t fitting = 0;
  for (std::size_t i = 0; i < records; ++i) {
    const auto* record = reinterpret_cast<const unsigned char*>(bytes.data()) + i * layout.size;
    if (has_version(record, layout) && record[layout.command_at + 1] == 0) ++fitting;
  }
  return records == 0 ? 0 : static_cast<int>(fitting * 100 / records);
}

class VscsiReader final : public RecordSource {
 public:
  VscsiReader(TraceInput input, const Layout& layout)
      : RecordSource(kTickPs), bytes_(std::move(input)), layout_(layout) {}

  SourcePosition position() const override { return {bytes_.file(), number_, PositionUnit::Record}; }

 private:
  bool read(TraceRecord& record) override {
    for (;;) {
      ++number_;
      const unsigned char* const bytes = bytes_.take(layout_.size);
      if (bytes == nullptr) return false;
      if (!has_version(bytes, layout_))
        throw FieldError("version is " + std::to_string(bytes[layout_.version_at + 1]) + ", not " +
                         std::to_string(layout_.version));
      const auto kind = scsi_request(endian::load_little_u16(bytes + layout_.command_at));
      record.length = endian::load_little_u32(bytes + layout_.length_at);
      if (!kind || (*kind != RequestKind::Flush && record.length == 0)) continue;  // length 0 means no transfer
      const std::uint64_t block = endian::load_little_u64(bytes + layout_.lbn_at);
      if (block > ~std::uint64_t{0} / kSector) throw FieldError("lbn is too large: " + std::to_string(block));
      record.offset = block * kSector;
      record.time.ticks = endian::load_little_u64(bytes + layout_.time_at);
      record.kind = *kind;
      return true;
    }
  }

  RecordBytes bytes_;
  const Layout& layout_;
  std::uint64_t number_ = 0;
};

int score(const TraceSample& sample) {
  return std::max(fit(sample.bytes, kLayouts[0]), fit(sample.bytes, kLayouts[1]));
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext& context) {
  const std::string_view bytes = context.sample.bytes;
  const std::size_t best = fit(bytes, kLayouts[1]) > fit(bytes, kLayouts[0]) ? 1 : 0;
  return std::make_unique<VscsiReader>(std::move(input), kLayouts[best]);
}

const TraceFormatRegistration registration{{.name = "vscsi",
                                            .aliases = {"vscsi1", "vscsi2"},
                                            .summary = "vscsiStats binary records, version 1 or 2 (CloudPhysics)",
                                            .parameters = {},
                                            .score = &score,
                                            .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::vscsi
