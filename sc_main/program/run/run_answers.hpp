// Records a run while it goes on, and writes and prints its answers at the end.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "controllers/host/preconditioner.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/options/picture_options.hpp"
#include "sc_main/program/run/io_log.hpp"
#include "sc_main/program/run/pictures.hpp"
#include "workloads/file_lock.hpp"

namespace flashloom {

/// The command line's options about answers.
struct AnswerOptions {
  std::string out{};     ///< folder; empty: nothing is written
  std::string io_log{};  ///< "binary", "csv", "both"; empty: none
  PictureOptions pictures{};
  bool json = false;   ///< print the result instead of the summary
  bool quiet = false;  ///< no summary
};

/// Measures the resources of a run on this computer, from begin() to end().
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

/// The folder and the answers of one simulation. Call order: constructor, record() before the device is preconditioned
/// or its state loaded, take() after the run, audit(), write(), print(), require_verified().
class RunAnswers {
 public:
  /// Makes the folder and removes the answers of an earlier run. Throws UsageError and WorkloadError as
  /// make_result_folder() does.
  explicit RunAnswers(AnswerOptions options);
  ~RunAnswers();

  /// Attaches recorders and I/O logs; `jobs`: the names of the host's jobs. Throws UsageError.
  void record(Simulation& simulation, const std::vector<std::string>& jobs);
  /// Makes result(), before the simulation goes on.
  void take(const LoadedConfig& config, const Workload& workload, const PreconditionResult& precondition);
  /// With an oracle: makes the device quiescent, reads everything back, and adds "verify" to the result. Without an
  /// oracle the device is left as it is.
  void audit();
  /// The result, which callers may extend before write().
  nlohmann::ordered_json& result() { return result_; }
  /// Adds a table for write(); `name`: of the file.
  void add_table(std::string name, std::string text) { more_tables_.emplace_back(std::move(name), std::move(text)); }
  /// Writes all files or none, if there is a folder. `state`: file from which the run began, or empty; `cost_of_more`:
  /// further keys of run.json.
  void write(const RunCost& cost, const std::string& state, const nlohmann::ordered_json& cost_of_more = {});
  /// Prints the summary, `notes` and the list of recordings; with --json the result instead; with --quiet nothing.
  void print(std::ostream& out, const std::string& notes) const;
  /// Throws SimulationFailure if a read was wrong.
  void require_verified() const;
  /// Throws SimulationFailure if a job ended at a request that broke the rules of zones.
  void require_accepted() const;

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
