#include "controllers/nvme/self_test.hpp"

#include <algorithm>
#include <cstring>

#include "controllers/nvme/io_commands.hpp"
#include "controllers/nvme/life.hpp"
#include "controllers/nvme/little_endian.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint8_t kShort = 1;
constexpr std::uint8_t kExtended = 2;
constexpr std::uint8_t kAbortTest = 0xf;
constexpr std::uint64_t kSamples = 64;           // of a namespace, in a short test
constexpr std::uint64_t kReadBytes = 128 << 10;  // at once
constexpr std::uint8_t kUnused = 0xf;            // a result that has not been
constexpr std::uint8_t kNsidValid = 1;           // of the diagnostic information
constexpr std::uint8_t kLbaValid = 1U << 1U;
constexpr std::uint8_t kStatusValid = 3U << 2U;
constexpr std::size_t kResultBytes = 28;

}  // namespace

Status SelfTest::start(const Entry& entry) {
  const auto code = static_cast<std::uint8_t>(entry.dword10 & 0xfU);
  if (code == kAbortTest) {
    if (code_ != 0) end(kAborted, 0, 0, Status::Success);
    return Status::Success;
  }
  if (code != kShort && code != kExtended) return Status::InvalidField;
  if (entry.name_space != 0 && entry.name_space != kAllNamespaces &&
      parts_.namespaces.active(entry.name_space) == nullptr)
    return Status::InvalidNamespace;
  if (code_ != 0) return Status::SelfTestInProgress;
  code_ = code;
  name_space_ = entry.name_space;
  at_ = 1;
  done_ = 0;
  ++number_;
  go_on();
  return Status::Success;
}

void SelfTest::go_on() {
  if (code_ != 0) parts_.runtime.spawn([this] { return run(number_); });
}

// Bytes that are tested of namespace `number`. With 0 the host asks for the controller alone, which has nothing to read.
std::uint64_t SelfTest::bytes_of(std::uint32_t number) const {
  if (name_space_ == 0 || (name_space_ != kAllNamespaces && name_space_ != number)) return 0;
  const Namespace* const space = parts_.namespaces.active(number);
  return space == nullptr || space->formatting != 0 ? 0 : space->bytes;
}

Task<void> SelfTest::run(std::uint64_t number) {
  const std::uint64_t sector = parts_.device.sector_bytes();
  NvmeCommand& command = parts_.queues.take();
  for (; at_ <= parts_.namespaces.most(); ++at_, done_ = 0) {
    for (;;) {
      const std::uint64_t bytes = bytes_of(at_);
      if (done_ >= bytes) break;
      const std::uint64_t step =
          code_ == kExtended ? kReadBytes : std::max(kReadBytes, bytes / kSamples / sector * sector);
      const std::uint64_t begin = parts_.namespaces.active(at_)->begin;
      prepare(command, IoOperation::Read, begin + done_, std::min(kReadBytes, bytes - done_));
      command.use = ReadUse::Check;
      co_await parts_.queues.send(command);
      if (number != number_ || code_ == 0) {
        parts_.queues.release(command);
        co_return;  // it has been ended meanwhile
      }
      const std::uint64_t first = command.offset / sector;
      const std::uint64_t last = first + command.length / sector;
      const std::uint64_t marked = parts_.life.uncorrectable.first(first, last);
      if (command.status != IoStatus::Ok || marked != last) {
        parts_.queues.release(command);
        const std::uint64_t bad = command.status != IoStatus::Ok ? first : marked;
        end(kFailed, at_, bad - begin / sector, Status::UnrecoveredRead);
        co_return;
      }
      done_ += step;
    }
  }
  parts_.queues.release(command);
  end(kPassed, 0, 0, Status::Success);
}

void SelfTest::end(Result result, std::uint32_t name_space, std::uint64_t lba, Status status) {
  lines_.push_front({.hours = parts_.life.hours(parts_.powered_for()),
                     .lba = lba,
                     .name_space = name_space,
                     .result = result,
                     .code = code_,
                     .status = static_cast<std::uint16_t>(status)});
  if (lines_.size() > kResults) lines_.pop_back();
  code_ = 0;
}

void SelfTest::formatted(std::uint32_t number) {
  if (code_ == 0 || name_space_ == 0) return;
  if (number == kAllNamespaces || name_space_ == kAllNamespaces || name_space_ == number)
    end(kByFormat, 0, 0, Status::Success);
}

void SelfTest::reset() {
  if (code_ == kShort) end(kByReset, 0, 0, Status::Success);
}

void SelfTest::write_page(std::byte* into) const {
  put(into, 0, code_);
  if (code_ != 0) {
    std::uint64_t all = 0;
    std::uint64_t done = done_;
    for (std::uint32_t number = 1; number <= parts_.namespaces.most(); ++number) {
      all += bytes_of(number);
      if (number < at_) done += bytes_of(number);
    }
    put(into, 1, static_cast<std::uint8_t>(all == 0 ? 100 : std::min<std::uint64_t>(done * 100 / all, 100)));
  }
  for (std::size_t i = 0; i < kResults; ++i) {
    std::byte* const result = into + 4 + i * kResultBytes;
    if (i >= lines_.size()) {
      put(result, 0, kUnused);
      continue;
    }
    const Line& line = lines_[i];
    put(result, 0, static_cast<std::uint8_t>(line.result | line.code << 4U));
    put(result, 4, line.hours);
    if (line.result != kFailed) continue;
    put<std::uint8_t>(result, 1, 1);  // the segment that failed: reading
    put<std::uint8_t>(result, 2, kNsidValid | kLbaValid | kStatusValid);
    put(result, 12, line.name_space);
    put(result, 16, line.lba);
    put(result, 24, static_cast<std::uint8_t>(line.status >> 8U));
    put(result, 25, static_cast<std::uint8_t>(line.status));
  }
}

void SelfTest::state(StateArchive& archive) {
  std::vector<Line> lines(lines_.begin(), lines_.end());
  archive(lines, code_, name_space_, at_, done_);
  lines_.assign(lines.begin(), lines.end());
}

}  // namespace flashloom::nvme
