// What becomes of a run: it is recorded while it goes on, and its answers are written and printed when it is over.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "controllers/host/preconditioner.hpp"
#include "sc_main/config/load.hpp"
#include "sc_main/options/picture_options.hpp"
#include "sc_main/run/io_log.hpp"
#include "sc_main/run/pictures.hpp"
#include "sc_main/run/report.hpp"
#include "sc_main/run/workload.hpp"
#include "sc_main/system/simulation.hpp"
#include "workloads/file_lock.hpp"

namespace flashloom {

/// What a command line says of answers.
struct AnswerOptions {
  std::string out{};     ///< folder; empty: nothing is written
  std::string io_log{};  ///< "binary", "csv", "both"; empty: none
  PictureOptions pictures{};
  bool json = false;   ///< the result is printed in place of the summary
  bool quiet = false;  ///< no summary
};

/// What a run costs on this computer, from begin() to end().
class CostMeter {
 public:
  /// CPU time of this process and of its children that have ended, in seconds.
  static double cpu_seconds();
  void begin();
  /// Fills in everything but precondition_cpu_s.
  void end(RunCost& cost) const;

 private:
  double cpu_ = 0;
  double wall_ = 0;
};

/// The folder and the answers of one simulation. In order: made, record() before the device is brought to its state,
/// take() after the run, audit(), write(), print(), require_verified().
class RunAnswers {
 public:
  /// Makes the folder; answers of an earlier run go. Throws UsageError and WorkloadError as make_result_folder does.
  explicit RunAnswers(AnswerOptions options);
  ~RunAnswers();

  /// Attaches pictures and io logs; `jobs`: the names of the host's jobs. Throws UsageError.
  void record(Simulation& simulation, const std::vector<std::string>& jobs);
  /// Makes result(), before the simulation goes on.
  void take(const LoadedConfig& config, const Workload& workload, const PreconditionResult& precondition);
  /// With an oracle: lets the device finish, reads everything back, and adds "verify" to the result. A run of which
  /// somebody wants the device in a quiescent state calls Simulation::quiesce() itself in any case.
  void audit();
  /// To be completed before write().
  nlohmann::ordered_json& result() { return result_; }
  /// One more table, to be written.
  void add_table(std::string name, std::string text) { more_tables_.emplace_back(std::move(name), std::move(text)); }
  /// Writes all files or none, if there is a folder; `state`: file that the run began from, or empty; `cost_of_more`: further
  /// keys of run.json.
  void write(const RunCost& cost, const std::string& state, const nlohmann::ordered_json& cost_of_more = {});
  /// The summary, then `notes`, then what was recorded where; or the result, as it is in its file; or nothing.
  void print(std::ostream& out, const std::string& notes) const;
  /// Throws SimulationFailure if a read was wrong.
  void require_verified() const;

 private:
  void write_files() const;

  AnswerOptions options_;
  std::optional<FileLock> folder_;
  Simulation* simulation_ = nullptr;
  std::unique_ptr<Pictures> pictures_;
  std::vector<std::unique_ptr<IoLog>> io_logs_;
  nlohmann::ordered_json result_;
  nlohmann::ordered_json run_cost_;
  std::vector<std::pair<std::string, std::string>> more_tables_;  // name, text
  SummaryNotes summary_notes_;
};

/// Names of jobs, in order.
std::vector<std::string> job_names(const std::vector<HostJob>& jobs);

}  // namespace flashloom
