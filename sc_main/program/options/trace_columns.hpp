// The file beside a table that says what its columns mean.
#pragma once

#include <map>
#include <string>

namespace flashloom {

/// Adds the parameter `columns` from the file PATH.columns.toml, whose keys are the names of the assignments of
/// workloads/traces/table_layout.hpp, unless there is no such file, `columns` is said already, or a format that is not
/// csv. Throws ConfigError.
void add_columns_beside(const std::string& path, const std::string& format,
                        std::map<std::string, std::string>& parameters);

}  // namespace flashloom
