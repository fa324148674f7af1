// How long objects stay mapped: a process maps an object before it uses it, and unmaps it by one of several rules.
#pragma once

#include <list>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "workloads/objects/object_source.hpp"

namespace flashloom {

struct MappingRule {
  enum class Kind : std::uint8_t {
    Accesses,  ///< unmapped after `count` accesses
    Hot,       ///< as Accesses, but hot objects stay mapped
    Lru,       ///< at most `count` objects are mapped; the least recently used one is unmapped for another
    Never,     ///< unmapped only before it is deleted
    Process,   ///< mapped by each process that uses it, until that process ends
  };
  Kind kind = Kind::Accesses;
  std::uint32_t count = 1;
};

/// Inserts maps and unmaps into the requests of a source.
class MappingLifetime final : public ObjectSource {
 public:
  MappingLifetime(std::unique_ptr<ObjectSource> source, const MappingRule& rule)
      : source_(std::move(source)), rule_(rule) {}

  bool next(ObjectRequest& request) override;
  std::uint64_t objects() const override { return source_->objects(); }
  std::uint64_t expected_requests() const override { return source_->expected_requests(); }

  /// Drops all mappings, since the process died. next() then repeats the source's request that it gave out last, or
  /// that it was about to give out. Returns true in the first case.
  bool restart();

 private:
  struct Mapping {
    std::uint32_t object;
    std::uint32_t accesses;
  };
  bool unmap(ObjectRequest& request, std::uint32_t object);
  bool next_of_processes(ObjectRequest& request);
  bool unmap_of(ObjectRequest& request, std::set<std::pair<std::uint32_t, std::uint32_t>>::iterator mapping);
  bool emit(ObjectRequest& request, ObjectOperation operation, std::uint32_t object) const;

  std::unique_ptr<ObjectSource> source_;
  MappingRule rule_;
  ObjectRequest pending_;      // the source's last request
  bool waiting_ = false;       // pending_ has not been given out yet
  bool given_ = false;         // pending_ is what next() gave out last
  std::list<Mapping> mapped_;  // most recently used first
  std::unordered_map<std::uint32_t, std::list<Mapping>::iterator> where_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> of_processes_;  // Process: mappings, as process and object
  bool over_ = false;                                               // Process: the source has ended
};

}  // namespace flashloom
