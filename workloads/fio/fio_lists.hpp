// Values of fio options with structure: by direction, splits, patterns, distributions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/fio/fio_job.hpp"
#include "workloads/fio/fio_value.hpp"

namespace flashloom {

/// The parts of `text` between separators; at least one.
std::vector<std::string_view> split_fio_list(std::string_view text, char separator);

/// "a", "a,b", "a,,c", "a,": values for reads, writes, trims. The last value also applies to the remaining directions,
/// unless a comma follows it. A direction without a value keeps its value in `values`.
template <class T, class Parse>
void parse_fio_by_direction(std::string_view text, PerDirection<T>& values, const Parse& parse) {
  const std::vector<std::string_view> parts = split_fio_list(text, ',');
  if (parts.size() > kFioDirections)
    throw FioValueError("expected at most read,write,trim, found \"" + std::string(text) + "\"");
  if (parts.size() == 1 && parts[0].empty()) throw FioValueError("value is missing");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    const std::size_t end = i + 1 == parts.size() ? kFioDirections : i + 1;
    const T value = parse(parts[i]);
    for (std::size_t j = i; j < end; ++j) values[j] = value;
  }
}

/// bs: "4k", "4k,8k", "4k,,16k", "8k,".
PerDirection<FioBlockSizes> parse_fio_block_sizes(std::string_view text, unsigned kb_base);
/// bsrange: "1k-4k", "1k-4k,2k-8k".
PerDirection<FioBlockSizes> parse_fio_block_ranges(std::string_view text, unsigned kb_base);
/// bssplit: "4k/10:64k/50:32k/", "...,..." by direction; sizes without a share take equal parts of the rest.
PerDirection<FioBlockSizes> parse_fio_block_splits(std::string_view text, unsigned kb_base);
/// rw: "randread", "randread:8", "read:-8k", ...
FioPattern parse_fio_pattern(std::string_view text, unsigned kb_base);
/// random_distribution: "random", "zipf:1.2", "zipf:1.2:0.5", "pareto:0.2", "normal:10", "zoned:60/10:40/90",
/// "zoned_abs:90/1g:10/9g".
FioDistribution parse_fio_distribution(std::string_view text, unsigned kb_base);
/// file_service_type: "roundrobin", "sequential", "random", each with ":N".
void parse_fio_file_service(std::string_view text, FioFileService& service, std::uint32_t& run);

}  // namespace flashloom
