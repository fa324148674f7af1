// Operations on persistent objects that processes request of a heap, and the interface of their sources.
// Pure C++: no SystemC, no other header of this code base.
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
  bool setup = false;            ///< creates objects before the workload begins; not measured
  bool hot = false;              ///< the workload uses the object often
  bool ends = false;             ///< the process ends after this request, and its mappings are removed
  std::uint32_t process = 0;     ///< process that makes the request; numbers are not reused
  std::uint32_t object = 0;      ///< number of the object
  std::uint64_t offset = 0;      ///< read, update: bytes in the object, whole sectors
  std::uint64_t length = 0;      ///< read, update: bytes, whole sectors; create: size of the object in bytes
  std::uint64_t arrival_ps = 0;  ///< picoseconds since the first request; 0 throughout: one after another
};

/// Creates, reads, updates and deletes in order; mapping_lifetime.hpp adds the maps and unmaps. An object is created
/// before it is used, and created again only after it was deleted.
class ObjectSource {
 public:
  ObjectSource() = default;
  ObjectSource(const ObjectSource&) = delete;
  ObjectSource& operator=(const ObjectSource&) = delete;
  virtual ~ObjectSource() = default;

  /// False at the end. Throws WorkloadError on malformed input.
  virtual bool next(ObjectRequest& request) = 0;
  /// All object numbers are below this.
  virtual std::uint64_t objects() const = 0;
  /// Total number of requests if known, else 0.
  virtual std::uint64_t expected_requests() const { return 0; }
};

}  // namespace flashloom
