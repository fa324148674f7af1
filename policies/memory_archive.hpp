// A saved state in memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "policies/state_archive.hpp"

namespace flashloom {

class MemoryWriter final : public StateArchive {
 public:
  MemoryWriter() : StateArchive(false) {}
  std::string bytes;

 private:
  void transfer(void* data, std::size_t size) override { bytes.append(static_cast<const char*>(data), size); }
};

class MemoryReader final : public StateArchive {
 public:
  explicit MemoryReader(const std::string& bytes) : StateArchive(true), bytes_(bytes) {}
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  void transfer(void* data, std::size_t size) override {
    if (bytes_.size() - at_ < size) throw StateError("more is read than was written");
    if (size != 0) std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

template <class T>
std::string saved(T& object) {
  MemoryWriter archive;
  object.state(archive);
  return archive.bytes;
}

/// Loads a state from saved(); false unless every byte was read.
template <class T>
bool load_state(T& object, const std::string& bytes) {
  MemoryReader archive(bytes);
  object.state(archive);
  return archive.at_end();
}

}  // namespace flashloom
