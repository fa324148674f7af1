// Binary output of blktrace, version 7 (struct blk_io_trace of include/uapi/linux/blktrace_api.h): of one CPU
// (sda.blktrace.0), or of all in the order of time as `blktrace -o -` and `blkparse -d` write it. In either byte order:
//     magic u32 (0x65617400 + version), sequence u32, time u64 (ns), sector u64, bytes u32, action u32, pid u32, device
//     u32, cpu u32, error u16, length of the data that follow u16
// The lower half of `action` is the event, the upper half says what it is of. Read as blkparse prints it (fill_rwbs() in
// blkparse_fmt.c), with the processes' names from the messages in the trace.
#include <boost/endian/conversion.hpp>
#include <unordered_map>

#include "workloads/traces/block_action.hpp"
#include "workloads/traces/record_source.hpp"
#include "workloads/traces/writer_numbers.hpp"

namespace flashloom::trace_format::blk_io_trace {
namespace {

namespace endian = boost::endian;

constexpr std::uint64_t kTickPs = 1'000;  // nanoseconds
constexpr std::uint64_t kSector = 512;
constexpr std::uint32_t kMagic = 0x65617400;
constexpr std::uint32_t kVersion = 7;
constexpr std::size_t kHead = 48;
constexpr std::uint32_t kEvent = 0xfeffU;  // bit 8: of a control group
constexpr std::uint32_t kOfGroup = 0x100U;
constexpr std::uint32_t kQueue = 1;
constexpr std::uint32_t kIssue = 7;
constexpr std::uint32_t kComplete = 8;

/// Bits of the upper half of `action`.
enum Category : std::uint32_t {
  kWrite = 1U << 1U,
  kFlush = 1U << 2U,
  kPacket = 1U << 9U,
  kNotify = 1U << 10U,
  kDiscard = 1U << 13U,
  kFua = 1U << 15U,
};

template <class T>
T load(const unsigned char* bytes, bool big) {
  return big ? endian::endian_load<T, sizeof(T), endian::order::big>(bytes)
             : endian::endian_load<T, sizeof(T), endian::order::little>(bytes);
}

bool has_magic(const unsigned char* bytes, bool big) {
  return (load<std::uint32_t>(bytes, big) & ~std::uint32_t{0xff}) == kMagic;
}

class BlkIoTraceReader final : public RecordSource {
 public:
  BlkIoTraceReader(TraceInput input, bool big, const std::string& action)
      : RecordSource(kTickPs, FarTime::Clamp),
        bytes_(std::move(input)),
        big_(big),
        action_(action),
        event_(action == "Q"   ? kQueue
               : action == "C" ? kComplete
                               : kIssue) {}

  SourcePosition position() const override { return {bytes_.file(), number_, PositionUnit::Record}; }

 private:
  bool read(TraceRecord& record) override {
    for (;;) {
      ++number_;
      const unsigned char* const head = bytes_.take(kHead);
      if (head == nullptr) return false;
      const auto magic = load<std::uint32_t>(head, big_);
      if (!has_magic(head, big_)) throw FieldError("no magic number of blktrace");
      if ((magic & 0xffU) != kVersion)
        throw FieldError("version " + std::to_string(magic & 0xffU) + " of blktrace, not 7");
      const auto action = load<std::uint32_t>(head + 28, big_);
      const auto pid = load<std::uint32_t>(head + 32, big_);
      const auto more = load<std::uint16_t>(head + 46, big_);
      const bool found = take(head, action, record);
      if (found && event_ != kComplete) record.writer = writer_of(pid);  // of completions it is another one
      if (more != 0) take_data(bytes_.take(more), more, action, pid);
      if (found) return true;
    }
  }

  bool take(const unsigned char* head, std::uint32_t action, TraceRecord& record) {
    const std::uint32_t category = action >> 16U;
    if ((category & kNotify) != 0) return false;
    if ((action & kEvent) != event_) {
      const std::uint32_t other = action & kEvent;
      others_ = others_ || other == kQueue || other == kIssue || other == kComplete;
      return false;
    }
    if ((category & kPacket) != 0) return false;  // a command of SCSI
    const auto bytes = load<std::uint32_t>(head + 24, big_);
    record.time.ticks = load<std::uint64_t>(head + 8, big_);
    record.preflush = (category & kFlush) != 0;
    record.fua = (category & kFua) != 0;
    record.kind = (category & kDiscard) != 0 ? RequestKind::Trim
                  : (category & kWrite) != 0 ? RequestKind::Write
                                             : RequestKind::Read;
    if (bytes == 0) {
      record.kind = RequestKind::Flush;
      return record.preflush;  // else some other command without data
    }
    const auto sector = load<std::uint64_t>(head + 16, big_);
    if (sector > ~std::uint64_t{0} / kSector) throw FieldError("sector is too large: " + std::to_string(sector));
    record.offset = sector * kSector;
    record.length = bytes;
    return true;
  }

  /// Data behind an event; of a notification of a process its name, after the number of the control group.
  void take_data(const unsigned char* data, std::size_t size, std::uint32_t action, std::uint32_t pid) {
    if (data == nullptr) throw FieldError("the file ends inside a record");
    if (action >> 16U != kNotify || (action & kEvent) != 0) return;
    const std::size_t before = (action & kOfGroup) != 0 ? 8 : 0;
    if (size <= before) return;
    const std::string_view name(reinterpret_cast<const char*>(data) + before, size - before);
    names_[pid] = name.substr(0, name.find('\0'));
  }

  std::uint16_t writer_of(std::uint32_t pid) {
    if (pid == 0) return processes_.number_of("0");
    const auto name = names_.find(pid);
    return processes_.number_of(name == names_.end() ? std::to_string(pid) : name->second);
  }

  std::string why_empty() const override { return "no " + action_ + " events" + but_other_actions(others_); }

  RecordBytes bytes_;
  bool big_;
  std::string action_;
  std::uint32_t event_;
  std::unordered_map<std::uint32_t, std::string> names_;
  WriterNumbers processes_;
  std::uint64_t number_ = 0;
  bool others_ = false;
};

int score(const TraceSample& sample) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(sample.bytes.data());
  return sample.bytes.size() >= 4 && (has_magic(bytes, false) || has_magic(bytes, true)) ? 100 : 0;
}

std::unique_ptr<RequestSource> make(TraceInput input, const TraceContext& context) {
  const bool big = context.sample.bytes.size() >= 4 &&
                   has_magic(reinterpret_cast<const unsigned char*>(context.sample.bytes.data()), true);
  return std::make_unique<BlkIoTraceReader>(std::move(input), big, context.parameters.at("action"));
}

const TraceFormatRegistration registration{
    {.name = "blk_io_trace",
     .aliases = {"blktrace_binary"},
     .summary = "binary output of blktrace, version 7",
     .parameters = {block_action("event that stands for a request: D issued, Q queued, C completed")},
     .score = &score,
     .make = &make}};

}  // namespace
}  // namespace flashloom::trace_format::blk_io_trace
