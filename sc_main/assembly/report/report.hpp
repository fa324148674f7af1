// The answers of a run: result.json (schema flashloom.result/2), its CSV tables, and the summary for people.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "controllers/host/preconditioner.hpp"
#include "models/energy/energy_ledger.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/assembly/system/simulation.hpp"

namespace flashloom {

inline constexpr const char* kResultSchema = "flashloom.result/2";
inline constexpr const char* kRunSchema = "flashloom.run/1";

/// The latency percentiles in a result: name and share.
inline constexpr std::pair<const char*, double> kReportedPercentiles[] = {
    {"p50", 0.50}, {"p90", 0.90}, {"p95", 0.95}, {"p99", 0.99}, {"p99_9", 0.999}, {"p99_99", 0.9999}};

/// Resources that the run took on this computer; never part of a result.
struct RunCost {
  double cpu_s = 0;  ///< of the simulation itself, preconditioning not counted
  double wall_s = 0;
  double precondition_cpu_s = 0;
  std::uint64_t kernel_deltas = 0;  ///< delta cycles: a measure of kernel events
  std::uint64_t peak_rss_bytes = 0;
};

inline double ratio(double a, double b) { return b == 0 ? 0.0 : a / b; }
inline double count(std::uint64_t n) { return static_cast<double>(n); }

/// Makes the result except `verify`, which the audit after the run fills in. Closes the energy ledger at
/// simulation.end().
nlohmann::ordered_json make_result(const LoadedConfig& config, const Workload& workload,
                                   const PreconditionResult& precondition, Simulation& simulation);
/// Makes the measured part of a result, from `simulated_s` to `power`, without `host`.
nlohmann::ordered_json make_measured(const LoadedConfig& config, Simulation& simulation);
/// Parts of a result that other answers use too: a latency in ns, and the device.
nlohmann::ordered_json latency_json(const LatencyHistogram& histogram);
nlohmann::ordered_json device_json(const LoadedConfig& config, Simulation& simulation);
nlohmann::ordered_json verify_result(const Oracle& oracle, std::uint64_t audited_sectors,
                                     std::uint64_t unreadable_sectors = 0);
nlohmann::ordered_json make_run_cost(const RunCost& cost, const nlohmann::ordered_json& result);

/// Tables for gnuplot, by file name: power.csv, utilization.csv, latency.csv.
std::vector<std::pair<std::string, std::string>> make_tables(Simulation& simulation,
                                                             const nlohmann::ordered_json& result);

/// What the summary needs beside the result.
struct SummaryNotes {
  bool timed = true;
  bool never_together = false;  ///< nand.multi_plane_read has had no effect
};
SummaryNotes summary_notes(Simulation& simulation);
void print_summary(std::ostream& out, const nlohmann::ordered_json& result, const nlohmann::ordered_json& cost,
                   const SummaryNotes& notes);

}  // namespace flashloom
