// cachelib: the writes of a flash cache as CacheLib's Navy makes them (Berg et al., "The CacheLib Caching Engine", OSDI
// 2020), with the two engines that the study of flexible data placement tells apart (Allison et al., "Towards Efficient
// Flash Caches with Emerging NVMe Flexible Data Placement SSDs", EuroSys 2025):
//
// * small objects (SOC, BigHash): a hash table of buckets of 4 KiB at the end of the region. To cache an object the
//   engine reads its bucket, changes it and writes the whole bucket: random writes of 4 KiB.
// * large objects (LOC, BlockCache): a log of regions of 16 MiB. Objects fill a region in memory; it is written when
//   the next one does not fit, over the region that was written first: sequential writes, FIFO.
//
// Defaults: buckets of 4 KiB, regions of 16 MiB (navyConfig), 4 % of the cache for small objects (the study's
// configuration for key-value caches). Sizes of objects, the share of small objects and that of lookups are parameters
// without a source. Objects have no keys here: each cached object is new, and a lookup finds an object in a bucket
// drawn as for writes, or in a written region. Lookups that miss cost no I/O (BigHash's bloom filters and BlockCache's
// index are in memory), so they are left out.
#include <optional>

#include "workloads/distributions.hpp"
#include "workloads/generators/file_requests.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/generators/operation_source.hpp"
#include "workloads/generators/placement_mark.hpp"
#include "workloads/permutation.hpp"

namespace flashloom::generator::cachelib {
namespace {

constexpr std::uint64_t kPage = 4096;   // device writes are whole pages
constexpr std::uint64_t kSmallest = 2;  // least number of regions

/// Classes for placement: the study's handles.
enum Handle : std::uint16_t { SmallObjects = 0, LargeObjects = 1 };

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  const auto sizes = [](const char* name, WeightedSizes value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = std::move(value), .unit = Sizes, .minimum = 1, .maximum = 0x1p30, .help = help};
  };
  return with(
      {share_parameter("soc", 0.04, "share of the region that holds small objects; 0: there are none"),
       bytes_parameter("bucket", 4096, 4096, "a bucket of small objects"),
       bytes_parameter("region", 16 << 20, 4096, "a region of large objects"),
       share_parameter("small", 0.95, "share of the objects that are small"),
       sizes("small_size", {{300, 1.0}}, "size of a small object"),
       sizes("large_size", {{16 << 10, 0.7}, {64 << 10, 0.25}, {256 << 10, 0.05}}, "size of a large object"),
       {.name = "distribution",
        .default_value = std::string("uniform"),
        .choices = {"uniform", "zipf"},
        .help = "which bucket a small object falls into: the hash spreads them, or some keys come again and again"},
       {.name = "theta", .default_value = 0.9, .minimum = 0, .maximum = 20, .help = "zipf: skew"},
       {.name = "read",
        .default_value = 0.5,
        .unit = Ratio,
        .minimum = 0,
        .maximum = 0.999,
        .help = "share of the operations that look up an object and find it on flash; the others cache one"},
       bytes_parameter("write_size", 1 << 20, 4096, "one write of a region"),
       {.name = "trim", .default_value = false, .help = "a region is trimmed before it is written again"},
       PlacementMark::parameter()},
      RequestBudget::parameters());
}

/// Draws sizes by their weights.
class ObjectSize {
 public:
  explicit ObjectSize(const WeightedSizes& sizes) : index_(weights(sizes)), sizes_(sizes) {}
  std::uint64_t operator()(Random& random) const {
    return sizes_.size() == 1 ? sizes_[0].first : sizes_[index_(random)].first;
  }
  std::uint64_t largest() const {
    std::uint64_t most = 0;
    for (const auto& [size, weight] : sizes_) most = std::max(most, size);
    return most;
  }

 private:
  static std::vector<double> weights(const WeightedSizes& sizes) {
    std::vector<double> all;
    for (const auto& [size, weight] : sizes) all.push_back(weight);
    return all;
  }

  WeightedIndex index_;
  WeightedSizes sizes_;
};

class CachelibSource final : public OperationSource {
 public:
  CachelibSource(const GeneratorValues& values, const GeneratorContext& context)
      : OperationSource(values, context),
        mark_(values, context),
        random_(derived_seed(context.seed, 0)),
        bucket_(values.count("bucket")),
        buckets_(buckets_of(values, context)),
        soc_begin_(round_down(context.space.capacity, kPage) - buckets_ * bucket_),
        regions_(slots_over(context.space, values.count("region"))),
        region_count_(soc_begin_ / regions_.stride),
        small_(buckets_ == 0 ? 0 : values.real("small")),
        read_(values.real("read")),
        write_size_(values.count("write_size")),
        trim_(values.flag("trim") || context.space.zones.bytes != 0),
        small_size_(values.get<WeightedSizes>("small_size")),
        large_size_(values.get<WeightedSizes>("large_size")) {
    check_whole_pages(values, {"bucket", "region", "write_size"});
    if (buckets_ != 0 && regions_.zones)
      throw GeneratorError("soc", "small objects are written at random places, which zones do not take; valid: 0");
    if (buckets_ != 0 && small_size_.largest() > bucket_) throw GeneratorError("small_size", "exceeds a bucket");
    if (round_up(large_size_.largest(), kPage) > regions_.capacity)
      throw GeneratorError("large_size", "exceeds a region");
    if (small_ < 1 && region_count_ < kSmallest)
      throw GeneratorError("region", "leaves room for fewer than 2 regions of large objects");
    if (values.text("distribution") == "zipf" && buckets_ != 0) {
      rank_.emplace(buckets_, values.real("theta"));
      scatter_.emplace(buckets_, derived_seed(context.seed, 1));
    }
  }

  bool knows_zones() const override { return regions_.zones; }

 private:
  static std::uint64_t round_down(std::uint64_t value, std::uint64_t unit) { return value / unit * unit; }

  static std::uint64_t buckets_of(const GeneratorValues& values, const GeneratorContext& context) {
    const auto bytes = static_cast<std::uint64_t>(static_cast<double>(context.space.capacity) * values.real("soc"));
    const std::uint64_t buckets = bytes / values.count("bucket");
    if (buckets == 0 && values.real("soc") > 0) throw GeneratorError("soc", "leaves room for no bucket");
    return buckets;
  }

  void operate() override {
    const bool small = small_ > 0 && random_.chance(small_);
    if (random_.chance(read_)) {
      if (small)
        send(RequestKind::Read, bucket_offset(), bucket_);
      else
        look_up_large();
    } else if (small) {
      put_small(small_size_(random_));
    } else {
      put_large(large_size_(random_));
    }
  }

  std::uint64_t bucket_offset() {
    const std::uint64_t bucket = rank_ ? (*scatter_)((*rank_)(random_)-1) : random_.below(buckets_);
    return soc_begin_ + bucket * bucket_;
  }

  Request& send(RequestKind kind, std::uint64_t offset, std::uint64_t length) {
    Request& request = waiting_.emplace_back();
    request.kind = kind;
    request.offset = offset;
    request.length = length;
    return request;
  }

  void put_small(std::uint64_t size) {
    const std::uint64_t offset = bucket_offset();
    send(RequestKind::Read, offset, bucket_);
    Request& write = send(RequestKind::Write, offset, bucket_);
    write.application_bytes = static_cast<std::uint32_t>(size);
    mark_(write, SmallObjects);
  }

  // Each object lies within one region, in order of arrival; the rest of a region, too small for the next object, stays
  // empty.
  void put_large(std::uint64_t size) {
    if (filled_ + size > regions_.capacity) write_region();
    filled_ += size;
  }

  void write_region() {
    const std::uint64_t region = written_ % region_count_;
    if (trim_ && written_ >= region_count_) waiting_.push_back(freed(regions_, region));
    std::vector<Request> writes;
    for_each_piece(regions_, {region}, RequestKind::Write, 0, regions_.capacity, write_size_, [&](Request& request) {
      mark_(request, LargeObjects);
      writes.push_back(request);
    });
    share_application_bytes(writes, filled_);
    waiting_.insert(waiting_.end(), writes.begin(), writes.end());
    ++written_;
    filled_ = 0;
  }

  // Reads at a random page of a written region. Without one there is no I/O: the objects are still in memory.
  void look_up_large() {
    const std::uint64_t size = round_up(large_size_(random_), kPage);
    if (written_ == 0) return;
    const std::uint64_t region = random_.below(std::min(written_, region_count_));
    const std::uint64_t places = (regions_.capacity - size) / kPage + 1;
    send(RequestKind::Read, region * regions_.stride + random_.below(places) * kPage, size);
  }

  PlacementMark mark_;
  Random random_;
  std::uint64_t bucket_;
  std::uint64_t buckets_;
  std::uint64_t soc_begin_;
  SlotShape regions_;
  std::uint64_t region_count_;
  double small_;
  double read_;
  std::uint64_t write_size_;
  bool trim_;
  ObjectSize small_size_;
  ObjectSize large_size_;
  std::optional<ZipfRank> rank_;
  std::optional<RandomPermutation> scatter_;
  std::uint64_t written_ = 0;  // regions written so far
  std::uint64_t filled_ = 0;   // bytes in the region in memory
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<CachelibSource>(values, context), .accounts = true};
}

const GeneratorRegistration registration{
    {.name = "cachelib",
     .summary = "a flash cache: random buckets of small objects beside a log of regions of large ones",
     .source = "CacheLib Navy (OSDI 2020) as in Allison et al., EuroSys 2025",
     .parameters = parameters(),
     .make = &make}};

}  // namespace
}  // namespace flashloom::generator::cachelib
