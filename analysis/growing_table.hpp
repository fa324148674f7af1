// Tables that grow at their end to any size, and are never copied: the operating system moves their pages to another
// address. What is not touched yet takes no memory, and from 2 MiB on huge pages are asked for, so that the processor's
// TLB covers what is read at random.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace flashloom {

/// The bytes of such a table.
class GrowingMemory {
 public:
  GrowingMemory() = default;
  GrowingMemory(GrowingMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  GrowingMemory& operator=(GrowingMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~GrowingMemory();

  /// To at least so many bytes, and at least twice what there is; those that are new are 0. They move. Throws
  /// std::bad_alloc.
  void grow(std::size_t bytes);
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class T>
class GrowingTable {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>, "it is moved as bytes");

 public:
  GrowingTable() = default;
  GrowingTable(GrowingTable&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  GrowingTable& operator=(GrowingTable&& other) noexcept {
    memory_ = std::move(other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~GrowingTable() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  T& operator[](std::size_t at) { return data()[at]; }
  const T& operator[](std::size_t at) const { return data()[at]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

  void push_back(T value) {
    reserve(size_ + 1);
    data()[size_++] = value;
  }
  void reserve(std::size_t size) {
    if (size > memory_.bytes() / sizeof(T)) memory_.grow(size * sizeof(T));
  }
  /// To a size that it does not exceed yet; what is new is bytes of 0.
  void extend(std::size_t size) {
    reserve(size);
    size_ = size;
  }
  /// Empty, and its memory given back.
  void clear() { GrowingTable().swap(*this); }
  void swap(GrowingTable& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
  }

 private:
  GrowingMemory memory_;
  std::size_t size_ = 0;
};

}  // namespace flashloom
