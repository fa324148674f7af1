// Registry of workload generators, the family `generator`. A generator is one .cpp file in this folder: a RequestSource
// and a registration,
//
//     const GeneratorRegistration registration{{.name = "mix", .summary = "...", .source = "...",
//                                               .parameters = {...}, .make = &make}};
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/objects/object_source.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// What a parameter measures. Whoever reads the text of a workload turns units into these.
enum class GeneratorUnit : std::uint8_t {
  None,   ///< plain number, text or boolean
  Time,   ///< integer picoseconds
  Bytes,  ///< integer bytes
  Ratio,  ///< 0.7 or "70 %"
  Sizes,  ///< "4 KiB", or several with weights: "4 KiB: 70 %, 64 KiB: 30 %"
};

/// Sizes in bytes with weights that need not add to 1.
using WeightedSizes = std::vector<std::pair<std::uint64_t, double>>;
using GeneratorValue = std::variant<bool, std::int64_t, double, std::string, WeightedSizes>;

/// A parameter that a generator declares.
struct GeneratorParameter {
  std::string name;
  GeneratorValue default_value;  ///< its alternative fixes the parameter's type
  GeneratorUnit unit = GeneratorUnit::None;
  double minimum = 0;                     ///< inclusive; for numbers, and each of several sizes
  double maximum = 0;                     ///< inclusive; minimum == maximum: unbounded
  std::vector<std::string> choices = {};  ///< for text
  std::string help;                       ///< one line
};

inline GeneratorParameter share_parameter(std::string name, double value, std::string help) {
  return {.name = std::move(name),
          .default_value = value,
          .unit = GeneratorUnit::Ratio,
          .minimum = 0,
          .maximum = 1,
          .help = std::move(help)};
}
inline GeneratorParameter bytes_parameter(std::string name, std::int64_t value, double minimum, std::string help) {
  return {.name = std::move(name),
          .default_value = value,
          .unit = GeneratorUnit::Bytes,
          .minimum = minimum,
          .maximum = 0x1p40,
          .help = std::move(help)};
}

/// A value that makes no sense for this device or beside the others; the reader of the workload adds file and line.
class GeneratorError : public std::runtime_error {
 public:
  GeneratorError(std::string parameter, const std::string& message)
      : std::runtime_error(message), parameter_(std::move(parameter)) {}
  const std::string& parameter() const { return parameter_; }

 private:
  std::string parameter_;
};

/// The values of a generator's parameters, complete.
class GeneratorValues {
 public:
  explicit GeneratorValues(std::map<std::string, GeneratorValue> values) : values_(std::move(values)) {}
  template <class T>
  const T& get(const std::string& name) const {
    return std::get<T>(values_.at(name));
  }
  bool flag(const std::string& name) const { return get<bool>(name); }
  /// Counts, bytes, picoseconds: declared with a minimum of at least 0.
  std::uint64_t count(const std::string& name) const { return static_cast<std::uint64_t>(get<std::int64_t>(name)); }
  double real(const std::string& name) const { return get<double>(name); }
  const std::string& text(const std::string& name) const { return get<std::string>(name); }

 private:
  std::map<std::string, GeneratorValue> values_;
};

/// What a factory receives.
struct GeneratorContext {
  DeviceSpace space;       ///< offsets are generated in [0, capacity)
  std::uint64_t seed = 1;  ///< of every random choice
  bool endless = false;    ///< something else ends the job: without `requests` and `bytes` go on for ever
};

/// What a factory makes.
struct GeneratedWorkload {
  std::unique_ptr<RequestSource> source;
  bool timed = false;                       ///< requests carry arrival times: open loop
  std::unique_ptr<ObjectSource> objects{};  ///< the same as operations on objects, for a heap; null: it knows none
  bool accounts = false;                    ///< requests say what the application wrote (Request::application_bytes)
};

struct Generator {
  std::string name;
  std::string summary;  ///< one line
  std::string source;   ///< paper or program that it comes from
  std::vector<GeneratorParameter> parameters;
  /// Throws GeneratorError.
  GeneratedWorkload (*make)(const GeneratorValues& values, const GeneratorContext& context);
};

/// All generators in alphabetical order.
const std::vector<Generator>& generators();
/// Null if there is none of this name.
const Generator* find_generator(const std::string& name);

/// Values in range over the defaults. Throws std::logic_error for a name that is not declared or a wrong type.
GeneratedWorkload make_generator(const Generator& generator, const std::map<std::string, GeneratorValue>& values,
                                 const GeneratorContext& context);

/// A namespace-scope object of this type registers a generator. Throws std::logic_error on a duplicate name.
struct GeneratorRegistration {
  explicit GeneratorRegistration(Generator generator);
};

/// When a generator ends: after so many requests or bytes, whichever comes first. With neither, when as many bytes as
/// the region has were sent, or never in an endless context.
class RequestBudget {
 public:
  /// The parameters `requests` and `bytes`, which are read by the constructor.
  static std::vector<GeneratorParameter> parameters(std::int64_t requests = 0);
  RequestBudget(const GeneratorValues& values, const GeneratorContext& context);

  bool spent() const { return given_ >= requests_ || sent_ >= bytes_; }
  void count(const Request& request) {
    ++given_;
    sent_ += request.length;
  }
  /// Requests in all if each has this size (0: they differ); 0: not known.
  std::uint64_t expected(std::uint64_t size) const;

 private:
  std::uint64_t requests_;
  std::uint64_t bytes_;
  std::uint64_t given_ = 0;
  std::uint64_t sent_ = 0;
};

/// A size must be a multiple of the sector size and fit into the region; else GeneratorError.
void check_size(const std::string& parameter, std::uint64_t size, const DeviceSpace& space);
/// `base` and then `more`.
std::vector<GeneratorParameter> with(std::vector<GeneratorParameter> base, const std::vector<GeneratorParameter>& more);

}  // namespace flashloom
