// The recordings of a run over time, and the figures drawn from them: time series, waveform, timeline, plots.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/options/picture_options.hpp"
#include "sc_main/program/pictures/flash_slicer.hpp"
#include "sc_main/program/pictures/occupancy_recorder.hpp"
#include "sc_main/program/pictures/series_recorder.hpp"
#include "sc_main/program/pictures/timeline_recorder.hpp"
#include "sc_main/program/pictures/vcd_recorder.hpp"

namespace flashloom {

/// Attaches only the observers that the options ask for. They do not change the simulation.
class Pictures {
 public:
  /// Before the run. Removes the files of an earlier run. Throws UsageError for files that cannot be written, and if
  /// gnuplot is needed and missing.
  Pictures(const PictureOptions& options, std::string out, Simulation& simulation);

  /// Makes the texts of all files; after the run and with the energy ledger closed, before Simulation::quiesce().
  void finish(const nlohmann::ordered_json& result);

  /// (path, text) of each file to write.
  const std::vector<std::pair<std::string, std::string>>& files() const { return files_; }
  /// Draws the figures, once all tables are written.
  void draw() const;
  /// For the summary: the files written, and where a limit cut them off.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void attach();
  void add_waveform(Picoseconds end);
  void add_timeline(Picoseconds end);
  void add_power_trace(Picoseconds end);
  void add_tables(const nlohmann::ordered_json& result, Picoseconds end);
  std::string place(const std::string& given, const char* usual) const;

  const PictureOptions options_;
  const std::string out_;  // folder of results, or empty
  Simulation& simulation_;
  std::unique_ptr<SeriesRecorder> series_;
  std::unique_ptr<VcdRecorder> vcd_;
  std::unique_ptr<TimelineRecorder> timeline_;
  std::unique_ptr<OccupancyRecorder> occupancy_;
  std::unique_ptr<FlashSlicer> slicer_;
  std::vector<std::pair<std::string, std::string>> files_;
  std::vector<std::string> notes_;
  std::vector<std::string> operations_;  // those that the host completed
  std::string power_kinds_;              // kinds of components, separated by spaces
  bool pages_shown_ = false;
  bool power_traced_ = false;
};

}  // namespace flashloom
