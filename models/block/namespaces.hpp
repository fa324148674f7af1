// The namespaces of a device: parts that the host addresses separately.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

/// Bytes of each namespace, one after the other; empty: a single one, the whole device.
using NamespaceSizes = std::vector<std::uint64_t>;

/// First byte of a namespace, numbered from 1; 0 where there are none.
inline std::uint64_t namespace_begin(const NamespaceSizes& namespaces, std::uint32_t number) {
  std::uint64_t begin = 0;
  for (std::uint32_t i = 1; i < number && i <= namespaces.size(); ++i) begin += namespaces[i - 1];
  return begin;
}

}  // namespace flashloom
