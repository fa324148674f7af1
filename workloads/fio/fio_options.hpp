// The options of job files, and how each is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// A section that is being read.
struct FioSection {
  FioJob job;
  unsigned kb_base = 1024;  ///< kb_base applies only to values given after it
};

struct FioOption {
  enum class Effect : std::uint8_t {
    Modelled,
    Inert,    ///< accepted without effect, and listed in the result
    Refused,  ///< an error
  };

  std::string name;
  std::vector<std::string> aliases;
  std::string help;  ///< one line; of a refused option the reason
  /// Parses the value into the section; throws FioValueError. Null unless modelled.
  void (*apply)(FioSection&, std::string_view) = nullptr;
  Effect effect = Effect::Modelled;
};

/// All options, in alphabetical order.
const std::vector<FioOption>& fio_options();

/// The option of that name or alias; null if there is none.
const FioOption* find_fio_option(std::string_view name);

/// Options that are not carried out, for the same reason.
struct FioOptionGroup {
  const char* reason;
  std::vector<const char*> names;  ///< name, or name/alias
};
std::vector<FioOption> unmodelled_fio_options(const std::vector<FioOptionGroup>& groups, FioOption::Effect effect);
/// The options without effect (fio_inert_options.cpp).
std::vector<FioOption> fio_inert_options();
/// The options that a job cannot have (fio_refused_options.cpp).
std::vector<FioOption> fio_refused_options();
/// The options of preconditioning (fio_sprandom.cpp).
std::vector<FioOption> fio_sprandom_options();
/// The options of zones (fio_zone_options.cpp).
std::vector<FioOption> fio_zone_options();

/// The options that place the data of writes (fio_placement.cpp).
std::vector<FioOption> fio_placement_options();

/// Whether fio would measure something different with this inert option: other requests, other contents, other times or
/// another end. Most inert options concern only files, processes and printing.
bool changes_measurement(std::string_view option, std::string_view value);

}  // namespace flashloom
