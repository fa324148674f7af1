// How long objects stay mapped: a process maps an object before it uses it, and unmaps it by one of these rules.
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
    Hot,       ///< the same, but hot objects stay mapped
    Lru,       ///< `count` objects are mapped at most; the one used longest ago is unmapped for another
    Never,     ///< unmapped only to be deleted
    Process,   ///< mapped by each process that uses it, until that process ends
  };
  Kind kind = Kind::Accesses;
  std::uint32_t count = 1;
};

/// The requests of a source, with maps and unmaps where they belong.
class MappingLifetime final : public ObjectSource {
 public:
  MappingLifetime(std::unique_ptr<ObjectSource> source, const MappingRule& rule)
      : source_(std::move(source)), rule_(rule) {}

  bool next(ObjectRequest& request) override;
  std::uint64_t objects() const override { return source_->objects(); }
  std::uint64_t expected_requests() const override { return source_->expected_requests(); }

  /// The process died, and its mappings with it. The request of the source that next() gave out last (then true), or
  /// was about to, comes again.
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
  bool waiting_ = false;       // it has not been given out yet
  bool given_ = false;         // it has been given out last
  std::list<Mapping> mapped_;  // used last in front
  std::unordered_map<std::uint32_t, std::list<Mapping>::iterator> where_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> of_processes_;  // Process: who has mapped which object
  bool over_ = false;                                               // Process: the source has ended
};

}  // namespace flashloom
