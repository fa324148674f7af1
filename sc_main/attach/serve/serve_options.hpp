// Options that servers of a modelled drive share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/program/options/picture_options.hpp"

namespace flashloom {

struct ServeOptions {
  std::string device{};  ///< device file or preset, as given
  std::vector<std::string> overrides{};
  std::optional<std::uint64_t> seed{};
  std::string socket{};              ///< path
  double pace = 0;                   ///< seconds of wall time per simulated second; 0: no pace
  std::uint64_t gather_us = 200;     ///< wall time: see ServedFront
  std::uint64_t memory = 512 << 20;  ///< bytes of contents in memory
  std::string out{};                 ///< folder for results
  std::string io_log{};
  bool quiet = false;
  bool json = false;  ///< print only the result
  PictureOptions pictures{};
};

/// Options as CLI11 collects them, unchecked.
struct RawServeOptions {
  std::string seed, pace, gather, memory;
  RawPictureOptions pictures;
};

/// A check of CLI11: a message if the text is empty.
std::string not_empty(const std::string& text);

void add_served_device(CLI::App& command, ServeOptions& options);
/// Adds all others but the socket.
void add_serve_options(CLI::App& command, ServeOptions& options, RawServeOptions& raw);
/// Throws UsageError.
void check_serve_options(const CLI::App& command, ServeOptions& options, const RawServeOptions& raw);

}  // namespace flashloom
