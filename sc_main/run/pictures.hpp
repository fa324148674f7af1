// What a run records over time, and the pictures that it draws: time series, waveform, timeline, figures.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sc_main/options/picture_options.hpp"
#include "sc_main/pictures/flash_slicer.hpp"
#include "sc_main/pictures/occupancy_recorder.hpp"
#include "sc_main/pictures/series_recorder.hpp"
#include "sc_main/pictures/timeline_recorder.hpp"
#include "sc_main/pictures/vcd_recorder.hpp"
#include "sc_main/system/simulation.hpp"

namespace flashloom {

/// Attaches the observers that the options ask for, none otherwise; they change nothing.
class Pictures {
 public:
  /// Before the run. Throws UsageError for files that cannot be written, and if gnuplot is wanted and missing; files of
  /// an earlier run go.
  Pictures(const PictureOptions& options, std::string out, Simulation& simulation);

  /// After the run, the ledger finished, before the simulation goes on (quiesce). Makes the texts of all files.
  void finish(const nlohmann::ordered_json& result);

  /// (path, text), to be written.
  const std::vector<std::pair<std::string, std::string>>& files() const { return files_; }
  /// Draws the figures, once all tables are written.
  void draw() const;
  /// For the summary: what was written, and where a limit cut it.
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
  std::vector<std::string> operations_;  // that completed
  std::string power_kinds_;  // of components
  bool pages_shown_ = false;
  bool power_traced_ = false;
};

}  // namespace flashloom
