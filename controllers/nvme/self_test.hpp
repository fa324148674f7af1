// Device Self-test (section 8.11): reads what is on the drive, in simulated time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

/// The short test checks samples of each namespace, the extended one all sectors; data that cannot be read fail it. A
/// reset ends the short one; the extended one goes on when the controller is enabled again.
class SelfTest {
 public:
  static constexpr std::size_t kLogBytes = 564;

  explicit SelfTest(ControllerParts& parts) : parts_(parts) {}

  Status start(const Entry& entry);
  void write_page(std::byte* into) const;
  /// A namespace (kAllNamespaces: each) is formatted or removed: ends its test.
  void formatted(std::uint32_t number);
  /// The controller was reset; is ready again.
  void reset();
  void go_on();

  /// Saves or loads the results, and a test under way.
  void state(StateArchive& archive);

 private:
  enum Result : std::uint8_t { kPassed = 0, kAborted = 1, kByReset = 2, kByFormat = 4, kFailed = 7 };
  struct Line {
    std::uint64_t hours;
    std::uint64_t lba;
    std::uint32_t name_space;
    std::uint8_t result;
    std::uint8_t code;
    std::uint16_t status;
  };
  static constexpr std::size_t kResults = 20;

  Task<void> run(std::uint64_t number);
  std::uint64_t bytes_of(std::uint32_t number) const;
  void end(Result result, std::uint32_t name_space, std::uint64_t lba, Status status);

  ControllerParts& parts_;
  std::deque<Line> lines_;
  std::uint8_t code_ = 0;  // under way: 1 short, 2 extended; 0: none
  std::uint32_t name_space_ = 0;
  std::uint64_t number_ = 0;  // of the test
  std::uint32_t at_ = 1;      // namespace that is read
  std::uint64_t done_ = 0;    // bytes of it
};

}  // namespace flashloom::nvme
