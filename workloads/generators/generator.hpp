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

/// The unit of a parameter's value. The reader of a workload's text converts values to it.
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
  double minimum = 0;                     ///< inclusive; of a number, or of each of several sizes
  double maximum = 0;                     ///< inclusive; minimum == maximum: unbounded
  std::vector<std::string> choices = {};  ///< valid texts
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

/// A value that does not fit the device or the other values; the reader of the workload adds file and line.
class GeneratorError : public std::runtime_error {
 public:
  GeneratorError(std::string parameter, const std::string& message)
      : std::runtime_error(message), parameter_(std::move(parameter)) {}
  const std::string& parameter() const { return parameter_; }

 private:
  std::string parameter_;
};

/// The values of all parameters of a generator.
class GeneratorValues {
 public:
  explicit GeneratorValues(std::map<std::string, GeneratorValue> values) : values_(std::move(values)) {}
  template <class T>
  const T& get(const std::string& name) const {
    return std::get<T>(values_.at(name));
  }
  bool flag(const std::string& name) const { return get<bool>(name); }
  /// For counts, bytes and picoseconds; the parameter must be declared with a minimum of at least 0.
  std::uint64_t count(const std::string& name) const { return static_cast<std::uint64_t>(get<std::int64_t>(name)); }
  double real(const std::string& name) const { return get<double>(name); }
  const std::string& text(const std::string& name) const { return get<std::string>(name); }

 private:
  std::map<std::string, GeneratorValue> values_;
};

/// Further arguments of a generator's factory.
struct GeneratorContext {
  DeviceSpace space;       ///< offsets are generated in [0, capacity)
  std::uint64_t seed = 1;  ///< determines all random choices
  bool endless = false;    ///< something else ends the job, so a generator without `requests` and `bytes` never ends
};

/// The result of a generator's factory.
struct GeneratedWorkload {
  std::unique_ptr<RequestSource> source;
  bool timed = false;                       ///< requests carry arrival times: open loop
  std::unique_ptr<ObjectSource> objects{};  ///< the same workload as operations on objects, for a heap; null: none
  bool accounts = false;                    ///< the source sets Request::application_bytes
};

struct Generator {
  std::string name;
  std::string summary;  ///< one line
  std::string source;   ///< paper or program on which it is based
  std::vector<GeneratorParameter> parameters;
  /// Throws GeneratorError.
  GeneratedWorkload (*make)(const GeneratorValues& values, const GeneratorContext& context);
};

/// All generators in alphabetical order.
const std::vector<Generator>& generators();
/// The generator of this name; null if there is none.
const Generator* find_generator(const std::string& name);

/// Calls the factory with the defaults and the given `values`, which must be in range. Throws std::logic_error for an
/// undeclared name or a wrong type.
GeneratedWorkload make_generator(const Generator& generator, const std::map<std::string, GeneratorValue>& values,
                                 const GeneratorContext& context);

/// A namespace-scope object of this type registers a generator. Throws std::logic_error on a duplicate name.
struct GeneratorRegistration {
  explicit GeneratorRegistration(Generator generator);
};

/// Ends a generator after a number of requests or bytes, whichever comes first. With neither limit it ends after as
/// many bytes as the region has, or never in an endless context.
class RequestBudget {
 public:
  /// Declares the parameters `requests` and `bytes`, which the constructor reads.
  static std::vector<GeneratorParameter> parameters(std::int64_t requests = 0);
  RequestBudget(const GeneratorValues& values, const GeneratorContext& context);

  bool spent() const { return given_ >= requests_ || sent_ >= bytes_; }
  void count(const Request& request) {
    ++given_;
    sent_ += request.length;
  }
  /// Total number of requests if each has `size` bytes (0: sizes differ); 0: not known.
  std::uint64_t expected(std::uint64_t size) const;

 private:
  std::uint64_t requests_;
  std::uint64_t bytes_;
  std::uint64_t given_ = 0;
  std::uint64_t sent_ = 0;
};

/// Throws GeneratorError unless the size is a multiple of the sector size and fits into the region.
void check_size(const std::string& parameter, std::uint64_t size, const DeviceSpace& space);
/// Joins two lists: `base`, then `more`.
std::vector<GeneratorParameter> with(std::vector<GeneratorParameter> base, const std::vector<GeneratorParameter>& more);

}  // namespace flashloom
