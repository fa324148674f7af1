// Parameters of workload generators as text: their declarations, in the form of those of other parts, and their values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policies/parameters.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "workloads/generators/generator.hpp"

namespace flashloom {

/// The generator's declarations; sizes with weights appear as text.
std::vector<ParameterSpec> generator_specs(const Generator& generator);

/// Reads the parameters in a table, checks them and converts them to the generator's units. Throws ConfigError.
std::map<std::string, GeneratorValue> read_generator_parameters(const ConfigNode& table, const std::string& path,
                                                                const Generator& generator);

/// "4 KiB", or "4 KiB: 70 %, 64 KiB: 30 %"; without weights all are equally likely. Throws QuantityError.
WeightedSizes parse_weighted_sizes(const std::string& text);
std::string format_weighted_sizes(const WeightedSizes& sizes);

}  // namespace flashloom
