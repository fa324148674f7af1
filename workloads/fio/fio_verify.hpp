// fio's verify=: fills writes with checkable contents, and checks them when they are read back. As fio 3.33 (verify.c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// The verify options of a job.
struct FioVerify {
  /// Methods of checking, with the numbers that fio's headers use.
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
  std::vector<std::byte> pattern{};  ///< repeated instead of random data; empty: random data
  std::uint64_t interval = 0;        ///< bytes of a block, which has one header
  bool read_back = true;             ///< do_verify
  bool fatal = false;                ///< stop at the first error
};

/// The verify options of a job; nullopt if it has no verify=. Throws WorkloadError, which names file, line and key, for
/// invalid values and for verify options that are not supported.
std::optional<FioVerify> fio_verify_of(const FioJob& job);
/// Whether fio_verify_of() supports the option.
bool is_fio_verify_option(const std::string& name);

/// Generates and checks the contents of the blocks that one job writes.
class FioContents {
 public:
  /// `number`: the job's number from 0; headers hold it, plus 1, as the thread.
  FioContents(FioVerify verify, std::uint32_t number, std::uint64_t seed)
      : verify_(std::move(verify)), number_(number), seed_(seed) {}

  const FioVerify& verify() const { return verify_; }

  /// Notes a write that is about to be sent; check() expects its contents from now on.
  void note(std::uint64_t offset, std::uint64_t length);
  /// Puts the contents of the last noted write at `offset` into `into`; `time_ps` goes into the headers.
  void fill(std::uint64_t offset, std::uint64_t length, std::uint64_t time_ps, std::byte* into) const;
  /// Checks headers and contents of the bytes read; also that the headers are of the last write noted with this offset
  /// and length, if there is one.
  void check(std::uint64_t offset, std::uint64_t length, const std::byte* bytes);

  /// Offset and length of the first noted write that begins at or after `offset`; writes overwritten in part are left
  /// out.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> written_from(std::uint64_t offset) const;

  std::uint64_t checked() const { return checked_; }  ///< blocks of verify_interval that were checked
  std::uint64_t wrong() const { return wrong_; }      ///< checked blocks that were wrong
  const std::string& first_wrong() const { return first_wrong_; }

 private:
  struct Written {
    std::uint64_t length;
    std::uint64_t number;  // counts the job's writes from 1
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
