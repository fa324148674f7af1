// Saved states: everything that an object needs to continue exactly as before, written to a file and read back
// (docs/how-to/states.md). A class names its fields once, for both directions:
//
//     void state(StateArchive& archive) override {
//       archive(next_, order_, random_);
//       if (archive.loading()) rebuild_index();
//     }
//
// A state is loaded into an object freshly constructed with the same context and parameters, so it leaves out what the
// constructor sets, what can be derived from other fields, and memory that is only kept for reuse.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace flashloom {

/// A state that cannot be written, or cannot be loaded.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class StateArchive {
 public:
  StateArchive(const StateArchive&) = delete;
  StateArchive& operator=(const StateArchive&) = delete;
  virtual ~StateArchive() = default;

  /// True: fields are set from the file; false: they are only read.
  bool loading() const { return loading_; }

  /// Fields, in order: numbers, enumerations, plain structs and random engines without padding, strings, vectors of
  /// such, and classes that have a `void state(StateArchive&)`.
  template <class... Fields>
  void operator()(Fields&... fields) {
    (field(fields), ...);
  }

  /// `n` values of a table whose size the constructor gave.
  template <class T>
  void table(T* first, std::size_t n) {
    static_assert(plain<T>, "only values whose bytes say all, and no more");
    transfer(first, n * sizeof(T));
  }

  /// Same as table(), for a large table of numbers whose successive differences repeat (page maps): they compress well.
  /// Loads into zeroed memory; zeroes are not written, so that memory is committed only where needed.
  template <std::unsigned_integral T>
  void differences(T* first, std::size_t n) {
    differences(
        n, [first](std::size_t i) { return first[i]; }, [first](std::size_t i, T value) { first[i] = value; });
  }
  /// Same, for a table accessed by get(i) and set(i, value).
  template <class Get, class Set>
  void differences(std::size_t n, Get get, Set set) {
    using T = decltype(get(std::size_t{}));
    constexpr std::size_t kChunk = 4096;
    std::array<T, kChunk> chunk;
    T last = 0;
    for (std::size_t at = 0; at < n; at += kChunk) {
      const std::size_t count = std::min(kChunk, n - at);
      if (!loading_)
        for (std::size_t i = 0; i < count; ++i) {
          const T value = get(at + i);
          chunk[i] = static_cast<T>(value - std::exchange(last, value));
        }
      transfer(chunk.data(), count * sizeof(T));
      if (!loading_) continue;
      if (last == 0 && std::all_of(chunk.begin(), chunk.begin() + count, [](T value) { return value == 0; })) continue;
      for (std::size_t i = 0; i < count; ++i) set(at + i, last = static_cast<T>(last + chunk[i]));
    }
  }

  /// A table in a memory mapping of its own (models/nand/zeroed_memory.hpp), `bytes` long. Archives that can save the
  /// memory image as a whole and map it when loading, which costs next to nothing; others call `move` to transfer it.
  template <class Move>
  void mapping(std::byte* memory, std::size_t bytes, Move move) {
    if (!image(memory, bytes)) move();
  }

  /// True: a rule that stands for tables is saved as the rule; false: as the contents that the tables would have.
  virtual bool takes_rules() const { return false; }

  /// Marks the beginning of a part, to detect a state of another layout early. Throws StateError.
  void part(const std::string& name) {
    std::string found = name;
    field(found);
    if (found != name) throw StateError("the part \"" + name + "\" is missing; \"" + found + "\" is there");
  }

 protected:
  explicit StateArchive(bool loading) : loading_(loading) {}
  /// Writes `size` bytes out of `data`, or reads them into it. Throws StateError.
  virtual void transfer(void* data, std::size_t size) = 0;
  /// Saves, or maps, `size` bytes that begin at a page boundary; false: this archive does not do that for this size.
  /// The saved memory must not change until the archive is complete.
  virtual bool image(std::byte* /*memory*/, std::size_t /*size*/) { return false; }

 private:
  static_assert(std::endian::native == std::endian::little, "states are written as they lie in memory");

  template <class T>
  static constexpr bool plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                                (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);

  template <class T>
  void field(T& value) {
    if constexpr (requires { value.state(*this); })
      value.state(*this);
    else
      table(&value, 1);
  }
  void field(std::string& text) { sized(text); }
  template <class T>
  void field(std::vector<T>& values) {
    if constexpr (plain<T>) {
      sized(values);
    } else {
      resize(values);
      for (T& value : values) field(value);
    }
  }

  template <class Sequence>
  void resize(Sequence& values) {
    std::uint64_t size = values.size();
    field(size);
    if (loading_) values.resize(size);
  }
  template <class Sequence>
  void sized(Sequence& values) {
    resize(values);
    table(values.data(), values.size());
  }

  bool loading_;
};

}  // namespace flashloom
