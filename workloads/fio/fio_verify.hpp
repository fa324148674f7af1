// fio's verify=: what its writes contain, and how that is checked when it is read back. As fio 3.33 (its verify.c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// The options of a job that say so.
struct FioVerify {
  /// With the numbers of fio's headers.
  enum class Kind : std::uint16_t {
    Meta = 1,  ///< the header alone
    Md5 = 2,
    Crc32 = 4,
    Crc32c = 5,
    Crc16 = 7,
    Xxhash = 15,
    Sha1 = 16,
    Pattern = 18,  ///< no header: the pattern alone
    Null = 19,     ///< nothing is checked
  };
  Kind kind = Kind::Crc32c;
  std::vector<std::byte> pattern{};  ///< in place of random data; repeated; empty: none
  std::uint64_t interval = 0;        ///< bytes that a header is of
  bool read_back = true;             ///< do_verify
  bool fatal = false;                ///< stop at the first error
};

/// Nothing if the job has no verify=. Throws WorkloadError, which names file, line and key, for values that are none
/// and for options that are not carried out.
std::optional<FioVerify> fio_verify_of(const FioJob& job);
/// The options that it looks at.
bool is_fio_verify_option(const std::string& name);

/// The contents of the blocks of one job.
class FioContents {
 public:
  /// `number` of the job: its thread, as headers have it.
  FioContents(FioVerify verify, std::uint32_t number, std::uint64_t seed)
      : verify_(std::move(verify)), number_(number), seed_(seed) {}

  const FioVerify& verify() const { return verify_; }

  /// A write is on its way to be sent: from now on it is what is there.
  void note(std::uint64_t offset, std::uint64_t length);
  /// The bytes of the last write noted of this place.
  void fill(std::uint64_t offset, std::uint64_t length, std::uint64_t time_ps, std::byte* into) const;
  /// Checks what was read: its headers and contents, and that it is the last write noted of this place, if one was.
  void check(std::uint64_t offset, std::uint64_t length, const std::byte* bytes);

  /// The next place that was written, behind `offset`: offset and length.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> written_from(std::uint64_t offset) const;

  std::uint64_t checked() const { return checked_; }  ///< blocks of verify_interval
  std::uint64_t wrong() const { return wrong_; }      ///< of them
  const std::string& first_wrong() const { return first_wrong_; }

 private:
  struct Written {
    std::uint64_t length;
    std::uint64_t number;  // of the job's writes
  };
  void fill_data(std::uint64_t seed, std::uint64_t from, std::byte* into, std::size_t bytes) const;
  std::string block_error(std::uint64_t offset, std::size_t from, std::size_t bytes, const std::byte* block,
                          const Written* written) const;

  FioVerify verify_;
  std::uint32_t number_;
  std::uint64_t seed_;
  std::map<std::uint64_t, Written> written_;  // by offset
  std::uint64_t writes_ = 0;
  std::uint64_t checked_ = 0;
  std::uint64_t wrong_ = 0;
  std::string first_wrong_;
};

}  // namespace flashloom
