// Writes the entries of a TimelineRecorder as trace events.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "sc_main/program/pictures/timeline_recorder.hpp"

namespace flashloom {

/// Tracks: process 1 has the requests, by job, in lanes with one request at a time; 2 the cores; 3 memories and link; 4
/// the channels; 5 the dies, each command with its stages nested in it.
class TimelineWriter {
 public:
  /// Writes the entries before `horizon`, clipped at `end`.
  TimelineWriter(TimelineRecorder& recorder, Picoseconds horizon, Picoseconds end,
                 const std::vector<std::string>& job_names);
  std::string text();

 private:
  enum Process : std::uint32_t { kHost = 1, kFirmware, kMemory, kChannels, kDies };
  struct Track {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
    friend auto operator<=>(const Track&, const Track&) = default;
  };
  /// Times of an event are whole nanoseconds; begin and end are both rounded down, so that nested events stay nested.
  struct Event {
    std::uint64_t begin = 0;
    std::uint64_t duration = 0;
    std::string json;
  };
  struct Origin {  // where an arrow begins
    Track track;
    Picoseconds at = 0;
  };

  void slice(Track track, Picoseconds from, Picoseconds to, const std::string& name, const std::string& arguments = {});
  void flow(char phase, Track track, Picoseconds at, const char* name, std::uint64_t id);
  void requests();
  void services();
  void commands();
  void flows();
  Track track_of(const FlashCommandInfo& info) const;
  Track lane(std::uint32_t job, Picoseconds from, Picoseconds to);
  std::string metadata() const;

  TimelineRecorder& recorder_;
  Picoseconds horizon_;
  Picoseconds end_;
  const std::vector<std::string>& job_names_;
  std::vector<Event> events_;
  std::vector<std::vector<Picoseconds>> lanes_;        // by job: time from which each lane is free
  std::unordered_map<std::uint64_t, Origin> origins_;  // by number of the request
  std::set<Track> tracks_;
};

}  // namespace flashloom
