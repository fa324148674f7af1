// The options that job files may hold: what each means here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// A section while it is read.
struct FioSection {
  FioJob job;
  unsigned kb_base = 1024;  ///< concerns the values after it only
};

struct FioOption {
  std::string name;
  std::vector<std::string> aliases;
  std::string help;  ///< one line
  bool inert;        ///< accepted, without effect, and stated in the result
  /// Takes the value; throws FioValueError. Null if inert.
  void (*apply)(FioSection&, std::string_view) = nullptr;
};

/// All options, in alphabetical order.
const std::vector<FioOption>& fio_options();

/// Null if fio_options() holds neither a name nor an alias like this.
const FioOption* find_fio_option(std::string_view name);

/// Those of them that have no effect here (fio_inert_options.cpp).
std::vector<FioOption> fio_inert_options();

/// Those of them that say where the data of writes are to go (fio_placement.cpp).
std::vector<FioOption> fio_placement_options();

/// Whether fio, given this inert option, would measure something else: other requests, at other times, or until another
/// end. Most are about files, processes and printing.
bool changes_measurement(std::string_view option, std::string_view value);

}  // namespace flashloom
