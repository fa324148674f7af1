// The namespaces of the controller: ranges of the device. Non-volatile.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/block/namespaces.hpp"
#include "policies/state_archive.hpp"

namespace flashloom::nvme {

struct Namespace {
  std::uint64_t begin = 0;  ///< bytes, on the device
  std::uint64_t bytes = 0;  ///< 0: there is none
  std::uint32_t attached = 0;
  std::uint32_t formatting = 0;  ///< percent still to be formatted; 0: it is not being formatted

  bool exists() const { return bytes != 0; }
  void state(StateArchive& archive) { archive(begin, bytes, attached); }
};

/// Numbers count from 1. A namespace is one contiguous range.
class NamespaceTable {
 public:
  /// `sizes`: of the initial namespaces, which are attached and contiguous; empty: one that covers the device.
  NamespaceTable(std::uint32_t most, std::uint64_t capacity, std::uint64_t granularity, const NamespaceSizes& sizes);

  std::uint32_t most() const { return static_cast<std::uint32_t>(table_.size()); }
  /// Null unless it exists.
  Namespace* allocated(std::uint32_t number);
  /// Null unless it exists, is attached to the controller, and the host has chosen its I/O command set.
  Namespace* active(std::uint32_t number);

  /// Whether the host has chosen the I/O command set of the namespaces.
  void choose(bool chosen) { chosen_ = chosen; }

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t unallocated() const;
  /// Bytes of the largest free range: the limit of a new namespace.
  std::uint64_t largest_free() const;
  /// Returns the number of the new namespace; 0: no free range of this size begins at a multiple of the granularity.
  /// Needs a free number.
  std::uint32_t create(std::uint64_t bytes);
  bool has_free_number() const;
  void remove(std::uint32_t number);

  /// The namespace was attached, detached, created or removed: listed by changes() until forget_changes().
  void note_change(std::uint32_t number);
  const std::vector<std::uint32_t>& changes() const { return changes_; }
  void forget_changes() { changes_.clear(); }

  void state(StateArchive& archive) { archive(table_); }

 private:
  template <class F>
  void each_gap(F&& f) const;

  bool chosen_ = true;
  std::uint64_t capacity_;
  std::uint64_t granularity_;
  std::vector<Namespace> table_;
  std::vector<std::uint32_t> changes_;
};

}  // namespace flashloom::nvme
