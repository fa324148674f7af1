#include "sc_main/assembly/system/fio_bytes.hpp"

#include "sc_main/assembly/system/simulation.hpp"

namespace flashloom {

bool FioBytes::begin(const IoCommand& command, std::byte* into) {
  if (command.operation == IoOperation::Write) {
    contents_.fill(command.offset, command.length, command.at.submit, into);
    return true;
  }
  // Reads are submitted in the order of the source, which reads back after all other reads.
  return source_ == nullptr || reads_++ >= source_->other_reads();
}

void FioBytes::read(const IoCommand& read, const std::byte* bytes) { contents_.check(read.offset, read.length, bytes); }

nlohmann::ordered_json data_json(const std::vector<std::unique_ptr<FioBytes>>& jobs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  for (const auto& job : jobs) {
    const FioContents& contents = job->contents();
    list.push_back({{"name", job->job()},
                    {"blocks_checked", contents.checked()},
                    {"mismatches", contents.wrong()},
                    {"first_mismatch", contents.first_wrong()}});
    checked += contents.checked();
    wrong += contents.wrong();
  }
  return {{"blocks_checked", checked}, {"mismatches", wrong}, {"jobs", std::move(list)}};
}

void require_data(const std::vector<std::unique_ptr<FioBytes>>& jobs) {
  for (const auto& job : jobs)
    if (const FioContents& contents = job->contents(); contents.wrong() != 0)
      throw SimulationFailure("fio's verify of job " + job->job() + " failed for " + std::to_string(contents.wrong()) +
                              " blocks; first " + contents.first_wrong());
}

}  // namespace flashloom
