// Structures of the specification, written and read field by field.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace flashloom::nvme {

static_assert(std::endian::native == std::endian::little, "fields are copied as they lie in memory");

template <class T>
void put(std::byte* structure, std::size_t offset, T value) {
  std::memcpy(structure + offset, &value, sizeof value);
}

template <class T>
T get_field(const std::byte* structure, std::size_t offset) {
  T value;
  std::memcpy(&value, structure + offset, sizeof value);
  return value;
}

/// ASCII, padded with blanks.
inline void put_text(std::byte* structure, std::size_t offset, std::size_t length, const std::string& text) {
  std::memset(structure + offset, ' ', length);
  std::memcpy(structure + offset, text.data(), std::min(length, text.size()));
}

}  // namespace flashloom::nvme
