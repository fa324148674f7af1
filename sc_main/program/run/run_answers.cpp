#include "sc_main/program/run/run_answers.hpp"

#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/program/run/result_folder.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResultFile = "result.json";
constexpr const char* kRunFile = "run.json";

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// VmHWM counts this address space only; ru_maxrss, the fallback, includes the parent's memory before exec().
std::uint64_t peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::uint64_t kib = 0; word == "VmHWM:" && status >> kib) return kib * 1024;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

double CostMeter::cpu_seconds() {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return sum;
}

void CostMeter::begin() {
  cpu_ = cpu_seconds();
  wall_ = wall_seconds();
}

void CostMeter::end(RunCost& cost) const {
  cost.cpu_s = cpu_seconds() - cpu_;
  cost.wall_s = wall_seconds() - wall_;
  cost.kernel_deltas = TimeLoop::instance().cycles();
  cost.peak_rss_bytes = peak_rss_bytes();
}

std::vector<std::string> job_names(const std::vector<HostJob>& jobs) {
  std::vector<std::string> names;
  for (const HostJob& job : jobs) names.push_back(job.name);
  return names;
}

RunAnswers::RunAnswers(AnswerOptions options) : options_(std::move(options)) {
  if (!options_.out.empty()) folder_.emplace(make_result_folder(options_.out));
}

RunAnswers::~RunAnswers() = default;

void RunAnswers::record(Simulation& simulation, const std::vector<std::string>& jobs) {
  simulation_ = &simulation;
  pictures_ = std::make_unique<Pictures>(options_.pictures, options_.out, simulation);
  for (const auto& [name, form] : {std::pair{"binary", IoLog::Form::Binary}, {"csv", IoLog::Form::Csv}})
    if (options_.io_log == name || options_.io_log == "both")
      io_logs_.push_back(
          std::make_unique<IoLog>(options_.out, form, jobs, simulation.ssd().firmware().zones() != nullptr));
  for (const auto& log : io_logs_) simulation.host().attach(*log);
}

void RunAnswers::take(const LoadedConfig& config, const Workload& workload, const PreconditionResult& precondition) {
  result_ = make_result(config, workload, precondition, *simulation_);
  if (simulation_->stopped()) {
    result_["partial"] = true;
    result_["expected_requests"] = nullptr;
    if (workload.expected_requests != 0) result_["expected_requests"] = workload.expected_requests;
  }
  summary_notes_ = summary_notes(*simulation_);  // before the audit's reads change the counts
  pictures_->finish(result_);
}

void RunAnswers::audit() {
  if (simulation_->oracle() == nullptr) return;
  simulation_->quiesce();
  const std::uint64_t audited = simulation_->audit();
  result_["verify"] = verify_result(*simulation_->oracle(), audited, simulation_->unreadable_sectors());
}

void RunAnswers::write(const RunCost& cost, const std::string& state, const nlohmann::ordered_json& cost_of_more) {
  run_cost_ = make_run_cost(cost, result_);
  run_cost_["state"] = nullptr;
  if (!state.empty()) run_cost_["state"] = fs::path(state).filename().string();
  for (const auto& [key, value] : cost_of_more.items()) run_cost_[key] = value;
  try {
    write_files();
  } catch (...) {
    if (!options_.out.empty()) remove_answers(options_.out);
    throw;
  }
}

void RunAnswers::write_files() const {
  for (const auto& [path, text] : pictures_->files()) write_whole(path, text);
  if (options_.out.empty()) return;
  const fs::path directory = options_.out;
  for (const auto& log : io_logs_) log->finish();
  for (const auto& [name, table] : make_tables(*simulation_, result_)) write_whole(directory / name, table);
  for (const auto& [name, table] : more_tables_) write_whole(directory / name, table);
  write_whole(directory / kRunFile, json_text(run_cost_, 2) + "\n");
  pictures_->draw();
  write_whole(directory / kResultFile, json_text(result_, 2) + "\n");
}

void RunAnswers::print(std::ostream& out, const std::string& notes) const {
  if (options_.json) out << json_text(result_, 2) << '\n';
  if (options_.json || options_.quiet) return;
  print_summary(out, result_, run_cost_, summary_notes_);
  out << notes;
  for (const std::string& note : pictures_->notes()) out << "  " << note << '\n';
}

void RunAnswers::require_verified() const {
  if (simulation_->oracle() != nullptr && simulation_->oracle()->mismatches() != 0)
    throw SimulationFailure("data did not verify: " + simulation_->oracle()->first_mismatch());
}

void RunAnswers::require_accepted() const {
  const HostDriver& host = simulation_->host();
  for (std::uint32_t number = 0; number < host.jobs(); ++number)
    if (host.job(number).ends_at_zone_error && host.statistics(number).zone_errors != 0)
      throw SimulationFailure("job " + host.job(number).name +
                              " ended at its first request that broke the rules of zones; with "
                              "continue_on_error=write it goes on, as fio does");
}

}  // namespace flashloom
