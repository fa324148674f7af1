// The last requests and events of a torture.
#pragma once

#include <deque>
#include <string>

#include "controllers/host/host_driver.hpp"

namespace flashloom {

class RequestHistory final : public HostObserver {
 public:
  explicit RequestHistory(std::deque<std::string>& lines) : lines_(lines) {}
  void completed(const IoCommand& command, std::uint32_t job, bool measured) override;
  void note(std::string line);
  /// Notes a completed command, with a text before its operation and one after its range.
  void note(const IoCommand& command, const std::string& before, const std::string& behind);

 private:
  std::deque<std::string>& lines_;
};

}  // namespace flashloom
