// Operations on persistent objects, as processes ask a heap for them, and the interface of their sources.
// Pure C++: no SystemC, nothing else of ours.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flashloom {

enum class ObjectOperation : std::uint8_t { Create, Map, Unmap, Read, Update, Delete };
inline constexpr std::size_t kObjectOperations = 6;

constexpr const char* to_string(ObjectOperation operation) {
  constexpr const char* kNames[kObjectOperations] = {"create", "map", "unmap", "read", "update", "delete"};
  return kNames[static_cast<std::size_t>(operation)];
}

struct ObjectRequest {
  ObjectOperation operation = ObjectOperation::Read;
  bool setup = false;            ///< of the objects' creation beforehand, which is not measured
  bool hot = false;              ///< of an object that the workload knows to be used often
  bool ends = false;             ///< the process ends after it, and what it has mapped is unmapped
  std::uint32_t process = 0;     ///< whose request it is; numbers are not used again
  std::uint32_t object = 0;      ///< number
  std::uint64_t offset = 0;      ///< bytes, of a read or update: whole sectors
  std::uint64_t length = 0;      ///< bytes, of a read or update: whole sectors; of a create the size of the object
  std::uint64_t arrival_ps = 0;  ///< since the first request; 0 throughout: one after the other
};

/// Creates, reads, updates and deletes in order; mapping is the business of whoever carries them out
/// (mapping_lifetime.hpp). An object is created before it is used, and again only after it was deleted.
class ObjectSource {
 public:
  ObjectSource() = default;
  ObjectSource(const ObjectSource&) = delete;
  ObjectSource& operator=(const ObjectSource&) = delete;
  virtual ~ObjectSource() = default;

  /// False at the end. Throws WorkloadError on malformed input.
  virtual bool next(ObjectRequest& request) = 0;
  /// Numbers of objects lie below.
  virtual std::uint64_t objects() const = 0;
  /// How many requests there will be, where that is known; else 0.
  virtual std::uint64_t expected_requests() const { return 0; }
};

}  // namespace flashloom
