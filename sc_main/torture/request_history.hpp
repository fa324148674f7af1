// The last requests of a torture, and what happened beside them.
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
  /// A completed command, with texts before what it is and behind where.
  void note(const IoCommand& command, const std::string& before, const std::string& behind);

 private:
  std::deque<std::string>& lines_;
};

}  // namespace flashloom
