#include "workloads/fio/fio_verify.hpp"

#include <xxhash.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <boost/uuid/detail/md5.hpp>
#include <boost/uuid/detail/sha1.hpp>
#include <cstring>
#include <numeric>

#include "workloads/fio/fio_value.hpp"
#include "workloads/random.hpp"
#include "workloads/size_text.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

/// Header at the start of each block (fio's struct verify_header). The checksum of the data follows it, then the data.
struct VerifyHeader {
  std::uint16_t magic = 0xacca;
  std::uint16_t kind = 0;
  std::uint32_t length = 0;  // of header, checksum and data
  std::uint64_t seed = 0;    // of the data
  std::uint64_t offset = 0;
  std::uint32_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  std::uint16_t thread = 0;
  std::uint16_t number = 0;  // number of the write in the job, low 16 bits
  std::uint32_t crc = 0;     // CRC32C of the fields before it
};
static_assert(sizeof(VerifyHeader) == 40);

using Sum = std::vector<std::byte>;
using Crc16 = boost::crc_optimal<16, 0x8005, 0, 0, true, true>;
using Crc32 = boost::crc_optimal<32, 0x04c11db7, 0, 0, false, false>;  // fio's takes the high bit first
using Crc32c = boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0, true, true>;

constexpr std::uint32_t kXxhashSeed = 1;  // fio's
constexpr std::uint64_t kTicksPerSecond = 1'000'000'000'000;

std::size_t sum_bytes(FioVerify::Kind kind) {
  switch (kind) {
    case FioVerify::Kind::Md5:
      return 16;
    case FioVerify::Kind::Sha1:
      return 20;
    case FioVerify::Kind::Crc32:
    case FioVerify::Kind::Crc32c:
    case FioVerify::Kind::Xxhash:
      return 4;
    case FioVerify::Kind::Crc16:
      return 2;
    default:
      return 0;
  }
}

bool has_header(FioVerify::Kind kind) { return kind != FioVerify::Kind::Pattern && kind != FioVerify::Kind::Null; }

std::size_t header_bytes(FioVerify::Kind kind) { return has_header(kind) ? sizeof(VerifyHeader) + sum_bytes(kind) : 0; }

template <class Word>
Sum sum_of(const Word& word) {
  Sum sum(sizeof word);
  std::memcpy(sum.data(), &word, sizeof word);
  return sum;
}

template <class Crc>
Sum crc_of(const std::byte* data, std::size_t bytes) {
  Crc crc;
  crc.process_bytes(data, bytes);
  return sum_of(static_cast<typename Crc::value_type>(crc.checksum()));
}

template <class Hash>
Sum digest_of(const std::byte* data, std::size_t bytes) {
  Hash hash;
  hash.process_bytes(data, bytes);
  typename Hash::digest_type digest;
  hash.get_digest(digest);
  return sum_of(digest);
}

Sum checksum(FioVerify::Kind kind, const std::byte* data, std::size_t bytes) {
  switch (kind) {
    case FioVerify::Kind::Md5: {
      Sum sum = digest_of<boost::uuids::detail::md5>(data, bytes);  // as words with the high byte first
      for (std::size_t at = 0; at < sum.size(); at += 4) std::reverse(sum.begin() + at, sum.begin() + at + 4);
      return sum;
    }
    case FioVerify::Kind::Sha1:
      return digest_of<boost::uuids::detail::sha1>(data, bytes);
    case FioVerify::Kind::Crc16:
      return crc_of<Crc16>(data, bytes);
    case FioVerify::Kind::Crc32:
      return crc_of<Crc32>(data, bytes);
    case FioVerify::Kind::Crc32c:
      return crc_of<Crc32c>(data, bytes);
    case FioVerify::Kind::Xxhash:
      return sum_of(XXH32(data, bytes, kXxhashSeed));
    default:
      return {};
  }
}

std::uint32_t header_crc(const VerifyHeader& header) {
  Crc32c crc;
  crc.process_bytes(&header, offsetof(VerifyHeader, crc));
  return crc.checksum();
}

// ---- Options ----

struct KindName {
  const char* name;
  FioVerify::Kind kind;
};
constexpr KindName kKindNames[] = {{"crc32c", FioVerify::Kind::Crc32c},   {"crc32c-intel", FioVerify::Kind::Crc32c},
                                   {"crc32", FioVerify::Kind::Crc32},     {"crc16", FioVerify::Kind::Crc16},
                                   {"xxhash", FioVerify::Kind::Xxhash},   {"md5", FioVerify::Kind::Md5},
                                   {"sha1", FioVerify::Kind::Sha1},       {"meta", FioVerify::Kind::Meta},
                                   {"pattern", FioVerify::Kind::Pattern}, {"null", FioVerify::Kind::Null}};
constexpr const char* kCarriedOut[] = {"verify", "do_verify", "verify_fatal", "verify_interval", "verify_pattern"};
constexpr const char* kNotCarriedOut[] = {"experimental_verify", "trim_percentage", "trim_verify_zero",
                                          "trim_backlog",        "verify_backlog",  "verify_backlog_batch",
                                          "verify_offset",       "verify_only",     "verify_state_load"};

std::optional<FioVerify::Kind> parse_kind(const std::string& text) {
  if (text == "0" || text == "none") return std::nullopt;
  std::string valid;
  for (const KindName& each : kKindNames) {
    if (text == each.name) return each.kind;
    valid += (valid.empty() ? "" : ", ") + std::string(each.name);
  }
  throw FioValueError(flashloom::quoted(text) + " is not checked by --data; valid: " + valid);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int letter = c | 0x20;
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// "0xdeadbeef" (bytes in this order), a decimal number (low byte first), or "text" in quotation marks.
std::vector<std::byte> parse_pattern(const std::string& text) {
  std::vector<std::byte> bytes;
  if (text.size() >= 3 && text.front() == '"' && text.back() == '"') {
    for (std::size_t i = 1; i + 1 < text.size(); ++i) bytes.push_back(static_cast<std::byte>(text[i]));
    return bytes;
  }
  if (text.starts_with("0x") || text.starts_with("0X")) {
    const std::string digits = text.size() % 2 == 0 ? text.substr(2) : "0" + text.substr(2);
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      const int high = hex_digit(digits[i]);
      const int low = hex_digit(digits[i + 1]);
      if (high < 0 || low < 0) throw FioValueError(flashloom::quoted(text) + " is no hexadecimal number");
      bytes.push_back(static_cast<std::byte>(high * 16 + low));
    }
    if (!bytes.empty()) return bytes;
  }
  std::uint64_t number = parse_fio_integer(text, 0, UINT32_MAX, 1024);
  do bytes.push_back(static_cast<std::byte>(number));
  while ((number >>= 8) != 0);
  return bytes;
}

template <class Parse>
void take(const FioJob& job, const std::string& key, Parse parse) {
  for (const auto& [option, value] : job.inert) {
    if (option != key) continue;
    try {
      parse(value);
    } catch (const FioValueError& error) {
      throw WorkloadError(job.file, job.line_of(key), key + ": " + error.what());
    }
  }
}

}  // namespace

bool is_fio_verify_option(const std::string& name) {
  return std::find(std::begin(kCarriedOut), std::end(kCarriedOut), name) != std::end(kCarriedOut);
}

std::optional<FioVerify> fio_verify_of(const FioJob& job) {
  std::optional<FioVerify::Kind> kind;
  take(job, "verify", [&](const std::string& value) { kind = parse_kind(value); });
  if (!kind) return std::nullopt;
  for (const char* const key : kNotCarriedOut)
    if (job.given(key))
      throw WorkloadError(job.file, job.line_of(key),
                          std::string(key) + ": --data does not carry it out; leave it out");
  FioVerify verify;
  verify.kind = *kind;
  take(job, "verify_pattern", [&](const std::string& value) { verify.pattern = parse_pattern(value); });
  take(job, "do_verify", [&](const std::string& value) { verify.read_back = parse_fio_bool(value); });
  take(job, "verify_fatal", [&](const std::string& value) { verify.fatal = parse_fio_bool(value); });
  take(job, "verify_interval", [&](const std::string& value) { verify.interval = parse_fio_bytes(value, 1024); });
  if (verify.kind == FioVerify::Kind::Pattern && verify.pattern.empty())
    throw WorkloadError(job.file, job.line_of("verify"), "verify: pattern needs verify_pattern");
  // As fio: no more than the smallest block, and a divisor of the largest.
  const FioBlockSizes& sizes = job.bs[job.rw.writes ? 1 : 0];
  if (verify.interval == 0 || verify.interval > sizes.least) verify.interval = sizes.least;
  verify.interval = std::gcd(verify.interval, sizes.most);
  if (verify.interval <= header_bytes(verify.kind))
    throw WorkloadError(job.file, job.line_of("verify_interval"),
                        "verify_interval: " + size_text(verify.interval) + " leave no room behind a header of " +
                            size_text(header_bytes(verify.kind)));
  const bool again = job.rw.random && (job.norandommap || job.distribution.kind != FioDistribution::Kind::Uniform ||
                                       job.percentage_random[1] != 100);
  if (job.rw.writes && again && job.depth() > 1)
    throw WorkloadError(job.file, job.line_of("verify"),
                        "verify: blocks that are written again while they are in flight may end as either; with "
                        "norandommap, an uneven random_distribution or percentage_random set iodepth=1");
  return verify;
}

// ---- Contents ----

void FioContents::note(std::uint64_t offset, std::uint64_t length) {
  auto from = written_.upper_bound(offset);
  if (from != written_.begin() && std::prev(from)->first + std::prev(from)->second.length > offset) --from;
  auto to = from;
  while (to != written_.end() && to->first < offset + length) ++to;
  const auto next = written_.erase(from, to);  // as fio: a write that is overwritten in part is not read back
  written_.emplace_hint(next, offset, Written{length, ++writes_});
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> FioContents::written_from(std::uint64_t offset) const {
  const auto found = written_.lower_bound(offset);
  if (found == written_.end()) return std::nullopt;
  return std::pair(found->first, found->second.length);
}

// Generates the data of a block; `from` is the position of its first byte in the pattern.
void FioContents::fill_data(std::uint64_t seed, std::uint64_t from, std::byte* into, std::size_t bytes) const {
  if (!verify_.pattern.empty()) {
    for (std::size_t i = 0; i < bytes; ++i) into[i] = verify_.pattern[(from + i) % verify_.pattern.size()];
    return;
  }
  Random random(seed);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(into + at, &word, std::min(sizeof word, bytes - at));
  }
}

void FioContents::fill(std::uint64_t offset, std::uint64_t length, std::uint64_t time_ps, std::byte* into) const {
  const auto found = written_.find(offset);
  const std::uint64_t number = found == written_.end() ? 0 : found->second.number;
  const std::size_t head = header_bytes(verify_.kind);
  for (std::uint64_t at = 0; at < length; at += verify_.interval) {
    const std::size_t bytes = std::min(verify_.interval, length - at);
    std::byte* const block = into + at;
    const std::uint64_t seed = derived_seed(seed_ ^ number, offset + at);
    const std::size_t from = verify_.kind == FioVerify::Kind::Pattern ? at : head;
    fill_data(seed, from, block + std::min(head, bytes), bytes - std::min(head, bytes));
    if (head == 0 || bytes < head) continue;
    VerifyHeader header{.kind = static_cast<std::uint16_t>(verify_.kind),
                        .length = static_cast<std::uint32_t>(bytes),
                        .seed = seed,
                        .offset = offset + at,
                        .seconds = static_cast<std::uint32_t>(time_ps / kTicksPerSecond),
                        .nanoseconds = static_cast<std::uint32_t>(time_ps % kTicksPerSecond / 1000),
                        .thread = static_cast<std::uint16_t>(number_ + 1),
                        .number = static_cast<std::uint16_t>(number)};
    header.crc = header_crc(header);
    std::memcpy(block, &header, sizeof header);
    const Sum sum = checksum(verify_.kind, block + head, bytes - head);
    std::copy(sum.begin(), sum.end(), block + sizeof header);
  }
}

// The error of a block that lies `from` bytes after the start of its write; empty: none.
std::string FioContents::block_error(std::uint64_t offset, std::size_t from, std::size_t bytes, const std::byte* block,
                                     const Written* written) const {
  if (verify_.kind == FioVerify::Kind::Pattern) {
    for (std::size_t i = 0; i < bytes; ++i)
      if (block[i] != verify_.pattern[(from + i) % verify_.pattern.size()])
        return "byte " + std::to_string(i) + " is not of the pattern";
    return {};
  }
  VerifyHeader header;
  if (bytes < sizeof header) return "it is shorter than a header";
  std::memcpy(&header, block, sizeof header);
  if (header.magic != VerifyHeader{}.magic) return "it has no header";
  if (header.crc != header_crc(header)) return "its header is damaged";
  if (header.kind != static_cast<std::uint16_t>(verify_.kind)) return "its header is of another verify=";
  if (header.length != bytes) return "its header is of " + std::to_string(header.length) + " bytes";
  if (header.offset != offset) return "its header is of offset " + std::to_string(header.offset);
  if (written != nullptr && header.number != static_cast<std::uint16_t>(written->number))
    return "it is write " + std::to_string(header.number) + " of the job, and not " +
           std::to_string(static_cast<std::uint16_t>(written->number));
  const std::size_t head = header_bytes(verify_.kind);
  const Sum sum = checksum(verify_.kind, block + head, bytes - head);
  if (!std::equal(sum.begin(), sum.end(), block + sizeof header)) return "its checksum is wrong";
  if (!verify_.pattern.empty())
    for (std::size_t i = head; i < bytes; ++i)
      if (block[i] != verify_.pattern[i % verify_.pattern.size()])
        return "byte " + std::to_string(i) + " is not of the pattern";
  return {};
}

void FioContents::check(std::uint64_t offset, std::uint64_t length, const std::byte* bytes) {
  if (verify_.kind == FioVerify::Kind::Null) return;
  const auto found = written_.find(offset);
  const Written* const written = found != written_.end() && found->second.length == length ? &found->second : nullptr;
  for (std::uint64_t at = 0; at < length; at += verify_.interval) {
    const std::size_t count = std::min(verify_.interval, length - at);
    ++checked_;
    const std::string error = block_error(offset + at, at, count, bytes + at, written);
    if (!error.empty() && wrong_++ == 0)
      first_wrong_ = "the block at offset " + std::to_string(offset + at) + ": " + error;
  }
}

}  // namespace flashloom
