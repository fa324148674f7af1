// Sets by request: pages written by one host request, if there are delta or more of them, form a set. O(1).
//
// In COLD's evaluation (J. K. Park, J. KSCI 21(2), 2016) sets grow with the block size of fio's requests, although a
// run of consecutive buffered pages does not end with a request: its figures 8 to 12 may have measured sets by request.
// A page belongs to the request that wrote it last. A request of more pages than `limit` is split.
#include <bit>
#include <boost/intrusive/unordered_set.hpp>

#include "policies/correlation/correlation.hpp"
#include "policies/correlation/groups.hpp"
#include "policies/registry.hpp"

namespace flashloom::correlation::request {
namespace {

class ByRequest final : public CorrelationDetector {
 public:
  ByRequest(const CorrelationContext& context, const ParameterValues& values)
      : groups_(context.capacity),
        threshold_(threshold_of(values)),
        limit_(limit_of(context, values)),
        requests_(context.capacity + 1),
        buckets_(std::bit_ceil(std::size_t{context.capacity} * 2)),
        index_(Index::bucket_traits(buckets_.data(), buckets_.size())) {}

  void written(Slot slot, std::uint64_t, std::uint64_t request) override {
    const ArrivalGroups::Group group = groups_.of(slot);
    if (group != ArrivalGroups::kNone) {
      if (requests_[group].number == request) return;
      removed(slot);
    }
    const auto found = index_.find(request);
    groups_.append(found == index_.end() ? add(request) : group_of(*found), slot);
  }
  void removed(Slot slot) override {
    const ArrivalGroups::Group group = groups_.of(slot);
    groups_.remove(slot);
    if (groups_.size(group) != 0) return;
    index_.erase(index_.iterator_to(requests_[group]));
    groups_.give_back(group);
  }
  void set_of(Slot slot, std::vector<Slot>& members) override {
    const ArrivalGroups::Group group = groups_.of(slot);
    if (groups_.size(group) < threshold_) return;
    const std::size_t first = members.size();
    std::size_t at = 0;  // index of the slot in its group
    groups_.for_each(group, [&](Slot member) {
      if (member == slot) at = members.size() - first;
      members.push_back(member);
    });
    const auto piece = members.begin() + static_cast<std::ptrdiff_t>(first + at / limit_ * limit_);
    if (members.end() - piece > static_cast<std::ptrdiff_t>(limit_)) members.erase(piece + limit_, members.end());
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(first), piece);
  }
  void state(StateArchive& archive) override {
    archive(groups_);
    std::vector<std::uint64_t> saved;  // group, request
    if (!archive.loading())
      for (const Request& request : requests_)
        if (request.is_linked()) saved.insert(saved.end(), {group_of(request), request.number});
    archive(saved);
    if (!archive.loading()) return;
    for (std::size_t i = 0; i < saved.size(); i += 2) {
      requests_[saved[i]].number = saved[i + 1];
      index_.insert(requests_[saved[i]]);
    }
  }

 private:
  struct Request : boost::intrusive::unordered_set_base_hook<> {
    std::uint64_t number = 0;
  };
  struct NumberOf {
    using type = std::uint64_t;
    type operator()(const Request& request) const { return request.number; }
  };
  using Index = boost::intrusive::unordered_set<Request, boost::intrusive::key_of_value<NumberOf>,
                                                boost::intrusive::power_2_buckets<true>>;

  ArrivalGroups::Group group_of(const Request& request) const {
    return static_cast<ArrivalGroups::Group>(&request - requests_.data());
  }
  ArrivalGroups::Group add(std::uint64_t request) {
    const ArrivalGroups::Group group = groups_.take();
    requests_[group].number = request;
    index_.insert(requests_[group]);
    return group;
  }

  ArrivalGroups groups_;
  std::uint32_t threshold_;
  std::uint32_t limit_;
  std::vector<Request> requests_;  // by group
  std::vector<Index::bucket_type> buckets_;
  Index index_;
};

const Registration<CorrelationDetector> registration{
    {.name = "request",
     .summary = "pages that one request wrote",
     .source = "an ablation of COLD: sets as large as requests, as its evaluation has them",
     .parameters = {threshold_parameter(), limit_parameter()}},
    [](const CorrelationContext& context, const ParameterValues& values) {
      return std::make_unique<ByRequest>(context, values);
    }};

}  // namespace
}  // namespace flashloom::correlation::request
