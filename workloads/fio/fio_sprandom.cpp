#include "workloads/fio/fio_sprandom.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "workloads/fio/fio_files.hpp"
#include "workloads/fio/fio_options.hpp"
#include "workloads/fio/fio_value.hpp"
#include "workloads/size_text.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kMostRegions = 100'000;

double waf(double over_provisioning) { return 0.5 / over_provisioning + 0.7; }

}  // namespace

std::vector<FioOption> fio_sprandom_options() {
  using S = FioSection;
  using V = std::string_view;
  return {
      {"spr_cs",
       {},
       "sprandom: size of the drive's write cache; a block is written again only when as much was written after it",
       [](S& s, V v) { s.job.sprandom.cache = parse_fio_bytes(v, s.kb_base); }},
      {"spr_num_regions",
       {},
       "sprandom: regions of the pass",
       [](S& s, V v) {
         s.job.sprandom.regions = static_cast<std::uint32_t>(parse_fio_integer(v, 1, kMostRegions, s.kb_base));
       }},
      {"spr_op",
       {},
       "sprandom: over-provisioning of the device, as a share of its logical size",
       [](S& s, V v) {
         const double share = parse_fio_number(v, "a share");
         if (share <= 0 || waf(share) <= 1) throw FioValueError("expected a share above 0 and below 1.66");
         s.job.sprandom.over_provisioning = share;
       }},
      {"sprandom",
       {},
       "random writes of size and spr_op more, which leave the blocks as valid as random writes for ever do",
       [](S& s, V v) { s.job.sprandom.on = parse_fio_bool(v); }},
  };
}

std::vector<double> FioSprandom::invalid_shares(double over_provisioning, std::uint32_t regions) {
  const double least = 1 - 1 / waf(over_provisioning);
  std::vector<double> valid(regions, 1.0);
  std::vector<double> place(regions);  // of a class of blocks among all: it grows by 1 / validity
  for (std::size_t i = 0; i < regions; ++i) {
    if (regions > 1) valid[i] = 1 + static_cast<double>(i) * (least - 1) / (regions - 1);
    place[i] = (i == 0 ? 0 : place[i - 1]) + 1 / valid[i];
  }
  std::vector<double> invalid(regions);
  for (std::size_t i = 0, at = 0; i < regions; ++i) {
    const double wanted = regions > 1
                              ? place.front() + (place.back() - place.front()) * static_cast<double>(i) / (regions - 1)
                              : place.front();
    while (at + 2 < regions && place[at + 1] < wanted) ++at;
    const double share = regions > 1 ? (wanted - place[at]) / (place[at + 1] - place[at]) : 0;
    const double between = regions > 1 ? valid[at] + share * (valid[at + 1] - valid[at]) : 1;
    invalid[regions - 1 - i] = std::round((1 - between) * 10000) / 10000;
  }
  return invalid;
}

FioSprandom::FioSprandom(const FioJob& job, std::uint64_t bytes, std::uint64_t block, std::uint64_t seed)
    : invalid_(invalid_shares(job.sprandom.over_provisioning, job.sprandom.regions)),
      order_(bytes / block, derived_seed(seed, 0x6f72646572)),
      random_(derived_seed(seed, 0x737072)),
      behind_(job.sprandom.cache != 0) {
  const auto spare = static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) * job.sprandom.over_provisioning));
  total_ = (bytes + spare + block - 1) / block * block;
  const std::uint64_t region = total_ / job.sprandom.regions;
  region_writes_ = region / block;
  if (region_writes_ == 0)
    fail_fio_job(job, "spr_num_regions",
                 std::to_string(job.sprandom.regions) + " regions of " + size_text(total_) +
                     " hold no block; at most " + std::to_string(total_ / block));
  if (job.sprandom.cache > region)
    fail_fio_job(job, "spr_cs",
                 "a region is smaller, " + size_text(region) + "; set spr_num_regions to at most " +
                     std::to_string(std::max<std::uint64_t>(total_ / job.sprandom.cache, 1)));
  fresh_left_ = region_writes_;
}

// fio draws from 0 to 10000 with both ends, so that a ten-thousandth is written again even behind the last region.
std::uint64_t FioSprandom::written(std::uint64_t block) {
  if (region_ < invalid_.size() && static_cast<double>(random_.below(10001)) <= invalid_[region_] * 10000)
    staged_.push_back(block);
  return block;
}

std::optional<std::uint64_t> FioSprandom::next() {
  const auto again = [this] {
    const std::uint64_t block = due_.front();
    due_.pop_front();
    return written(block);
  };
  if (!due_.empty() && (!behind_ || fresh_left_ == 0)) return again();
  if (fresh_left_ == 0) {
    if (region_ == invalid_.size()) return std::nullopt;
    ++region_;
    due_ = std::exchange(staged_, {});
    fresh_left_ = region_writes_ - std::min<std::uint64_t>(region_writes_, due_.size());
  }
  if (position_ == order_.size()) return std::nullopt;
  if (fresh_left_ != 0) --fresh_left_;
  return written(order_(position_++));
}

}  // namespace flashloom
