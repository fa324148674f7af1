#include "sc_main/program/run/result_folder.hpp"

#include <unistd.h>

#include <stdexcept>
#include <system_error>

#include "sc_main/program/options/option_values.hpp"
#include "workloads/output_path.hpp"
#include "workloads/part_file.hpp"

namespace flashloom {
namespace fs = std::filesystem;

namespace {

// All files that a command can write into its folder. They are removed before a run, so that no old answers remain
// beside new ones or after a failure. Other files in the folder are not touched.
constexpr const char* kAnswers[] = {
    "result.json",     "run.json",    "endurance.json", "io_log.bin",      "io_log.csv",        "power.csv",
    "utilization.csv", "latency.csv", "breakdown.csv",  "tier_passes.csv", "series.csv",        "latency_cdf.csv",
    "uncertainty.csv", "wear.csv",    "waveform.vcd",   "waveform.gtkw",   "power_trace.csv",   "power_by_kind.csv",
    "timeline.json",   "console.log", "thermal.csv",    "output.log",      "guest/answers.json"};
constexpr const char* kFigureFolder = "plots";
constexpr const char* kFigureTables[] = {"pages.csv",      "occupancy.csv",     "channel_shares.csv",
                                         "die_shares.csv", "power_by_kind.csv", "power_trace.csv"};
constexpr const char* kDrawnFigures[] = {"latency", "throughput", "occupancy", "shares",      "gc",     "wear",
                                         "pages",   "breakdown",  "power",     "power_trace", "thermal"};
constexpr const char* kFigureForms[] = {".png", ".svg", ".log"};

std::vector<fs::path> answers_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const char* const name : kAnswers) files.push_back(folder / name);
  const fs::path figures = folder / kFigureFolder;
  for (const char* const name : kFigureTables) files.push_back(figures / name);
  for (const char* const name : kDrawnFigures)
    for (const char* const form : kFigureForms) files.push_back(figures / (std::string(name) + form));
  return files;
}

}  // namespace

void remove_answers(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& file : answers_in(folder)) {
    remove_output(file.string());
    // Left by a killed process, since the lock excludes a running one; of a link the link alone goes.
    const fs::path part = file.string() + ".part";
    if (!fs::is_directory(fs::symlink_status(part, ignored))) fs::remove(part, ignored);
  }
  if (fs::is_directory(fs::symlink_status(folder / kFigureFolder, ignored)))
    fs::remove(folder / kFigureFolder, ignored);  // if nothing is left in it
}

FileLock make_result_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error == std::errc::no_space_on_device) throw std::runtime_error(path + ": cannot be made: " + error.message());
  std::error_code unknown;
  if (!fs::is_directory(path, unknown))
    throw UsageError("--out: cannot write into '" + path +
                     "': " + (fs::exists(path, unknown) ? std::string("is no folder") : error.message()));
  FileLock lock = FileLock::of_folder(path);
  if (error || ::access(path.c_str(), W_OK) != 0)
    throw UsageError("--out: cannot write into '" + path + "'" + (error ? ": " + error.message() : ""));
  remove_answers(path);
  return lock;
}

void write_whole(const fs::path& path, const std::string& text) {
  PartFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace flashloom
