// The real bytes of fio jobs, with `flashloom run --data`.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "workloads/fio/fio_verified_source.hpp"

namespace flashloom {

/// Fills the writes of one job and checks its reads. A job that writes reads its data back at its end and checks that,
/// as fio does; a job that only reads checks every read.
class FioBytes final : public JobBytes {
 public:
  FioBytes(std::string job, FioContents contents) : job_(std::move(job)), contents_(std::move(contents)) {}

  FioContents& contents() { return contents_; }
  const std::string& job() const { return job_; }
  /// Sets the job's source that reads back the written data; null: the job only reads.
  void reads_back(const FioVerifiedSource* source) { source_ = source; }

  bool begin(const IoCommand& command, std::byte* into) override;
  void read(const IoCommand& read, const std::byte* bytes) override;

 private:
  std::string job_;
  FioContents contents_;
  const FioVerifiedSource* source_ = nullptr;
  std::uint64_t reads_ = 0;
};

/// "data" of result.json: blocks checked and mismatches, by job and in total.
nlohmann::ordered_json data_json(const std::vector<std::unique_ptr<FioBytes>>& jobs);

/// Throws SimulationFailure if a block was wrong.
void require_data(const std::vector<std::unique_ptr<FioBytes>>& jobs);

}  // namespace flashloom
