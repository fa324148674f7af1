#include "workloads/generators/generator.hpp"

#include <algorithm>
#include <limits>

#include "workloads/size_text.hpp"

namespace flashloom {
namespace {

std::vector<Generator>& registered() {
  static std::vector<Generator> all;
  return all;
}

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t limit(std::uint64_t given) { return given == 0 ? kNoLimit : given; }

}  // namespace

const std::vector<Generator>& generators() { return registered(); }

const Generator* find_generator(const std::string& name) {
  for (const Generator& generator : registered())
    if (generator.name == name) return &generator;
  return nullptr;
}

GeneratorRegistration::GeneratorRegistration(Generator generator) {
  if (find_generator(generator.name) != nullptr)
    throw std::logic_error("generator registered twice: " + generator.name);
  auto& all = registered();
  const auto position =
      std::find_if(all.begin(), all.end(), [&](const Generator& g) { return g.name > generator.name; });
  all.insert(position, std::move(generator));
}

GeneratedWorkload make_generator(const Generator& generator, const std::map<std::string, GeneratorValue>& values,
                                 const GeneratorContext& context) {
  std::map<std::string, GeneratorValue> complete;
  for (const GeneratorParameter& parameter : generator.parameters) {
    const auto given = values.find(parameter.name);
    if (given != values.end() && given->second.index() != parameter.default_value.index())
      throw std::logic_error("wrong type of parameter " + parameter.name);
    complete[parameter.name] = given == values.end() ? parameter.default_value : given->second;
  }
  for (const auto& [name, value] : values)
    if (!complete.contains(name)) throw std::logic_error("undeclared parameter: " + name);
  return generator.make(GeneratorValues(std::move(complete)), context);
}

std::vector<GeneratorParameter> RequestBudget::parameters(std::int64_t requests) {
  return {{.name = "requests",
           .default_value = requests,
           .minimum = 0,
           .maximum = 1e15,
           .help = "how many in all; 0: no limit"},
          {.name = "bytes",
           .default_value = std::int64_t{0},
           .unit = GeneratorUnit::Bytes,
           .minimum = 0,
           .maximum = 1e18,
           .help = "end when so many were sent; 0: no limit, or with neither limit as many as the region has"}};
}

RequestBudget::RequestBudget(const GeneratorValues& values, const GeneratorContext& context)
    : requests_(limit(values.count("requests"))), bytes_(limit(values.count("bytes"))) {
  if (requests_ == kNoLimit && bytes_ == kNoLimit && !context.endless) bytes_ = context.space.capacity;
}

std::uint64_t RequestBudget::expected(std::uint64_t size) const {
  if (size == 0) return bytes_ == kNoLimit && requests_ != kNoLimit ? requests_ : 0;
  const std::uint64_t by_bytes = bytes_ == kNoLimit ? kNoLimit : bytes_ / size + (bytes_ % size != 0 ? 1 : 0);
  const std::uint64_t least = std::min(requests_, by_bytes);
  return least == kNoLimit ? 0 : least;
}

void check_size(const std::string& parameter, std::uint64_t size, const DeviceSpace& space) {
  if (size == 0 || size % space.sector_size != 0)
    throw GeneratorError(parameter,
                         size_text(size) + " are no multiple of the sector size, " + size_text(space.sector_size));
  if (size > space.capacity)
    throw GeneratorError(parameter, size_text(size) + " exceed the region, " + size_text(space.capacity));
}

std::vector<GeneratorParameter> with(std::vector<GeneratorParameter> base,
                                     const std::vector<GeneratorParameter>& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

}  // namespace flashloom
