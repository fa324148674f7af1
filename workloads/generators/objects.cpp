// objects: whole objects accessed one after the other, hot ones most often, as UFLRU's experiment does: 400 objects of
// 2 MiB, all created; then 500 accesses, each of one whole object; hot objects take 80 % of the accesses exactly. As
// block I/O this is the traffic of a heap without memory in front of it; the share of hot objects (10 to 40 % in the
// study's figures) and the read share are parameters.
#include "workloads/generators/generator.hpp"
#include "workloads/permutation.hpp"

namespace flashloom {
namespace {

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  const auto count = [](const char* name, std::int64_t value, const char* help) {
    return GeneratorParameter{.name = name, .default_value = value, .minimum = 1, .maximum = 1e12, .help = help};
  };
  const auto share = [](const char* name, double value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .unit = Ratio, .minimum = 0, .maximum = 1, .help = help};
  };
  const auto bytes = [](const char* name, std::int64_t value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .unit = Bytes, .minimum = 512, .maximum = 0x1p40, .help = help};
  };
  return {count("objects", 400, "number of objects, one after the other in the region"),
          bytes("object", 2 << 20, "size of an object"),
          bytes("size", 128 << 10, "size of a request; an object is a multiple"),
          {.name = "create", .default_value = true, .help = "write every object once beforehand, in order"},
          count("accesses", 500, "accesses to whole objects after that"),
          share("hot", 0.2, "share of the objects that are hot; they lie anywhere"),
          share("hot_access", 0.8, "share of the accesses that go to hot objects, exactly"),
          share("read", 0.0, "share of the accesses that read; the rest update")};
}

class ObjectSource final : public RequestSource {
 public:
  ObjectSource(const GeneratorValues& values, const GeneratorContext& context)
      : random_(derived_seed(context.seed, 0)),
        objects_(values.count("objects")),
        size_(values.count("size")),
        requests_(requests_of(values, context.space)),
        read_(values.real("read")),
        accesses_(values.count("accesses")),
        hot_accesses_(share_of(accesses_, values.real("hot_access"))),
        hot_objects_(share_of(objects_, values.real("hot"))),
        places_(objects_, derived_seed(context.seed, 1)),
        to_create_(values.flag("create") ? objects_ : 0),
        total_((to_create_ + accesses_) * requests_) {
    if (hot_objects_ == 0 && hot_accesses_ != 0) throw GeneratorError("hot", "no object is hot, but accesses are");
    if (hot_objects_ == objects_ && hot_accesses_ != accesses_)
      throw GeneratorError("hot", "every object is hot, but not every access");
  }

  bool next(Request& request) override {
    if (left_ == 0 && !choose()) return false;
    request = Request{};
    request.kind = reads_ ? RequestKind::Read : RequestKind::Write;
    request.length = size_;
    request.offset = (object_ * requests_ + (requests_ - left_--)) * size_;
    return true;
  }
  std::uint64_t expected_requests() const override { return total_; }

 private:
  static std::uint64_t share_of(std::uint64_t n, double share) {
    return static_cast<std::uint64_t>(static_cast<double>(n) * share + 0.5);
  }

  static std::uint64_t requests_of(const GeneratorValues& values, const DeviceSpace& space) {
    const std::uint64_t object = values.count("object");
    check_size("size", values.count("size"), space);
    if (object % values.count("size") != 0) throw GeneratorError("object", "is no multiple of the size of a request");
    if (values.count("objects") > space.capacity / object)
      throw GeneratorError("objects", "do not fit: the region holds " + std::to_string(space.capacity / object));
    return object / values.count("size");
  }

  // The next object, and whether it is read; false at the end.
  bool choose() {
    if (to_create_ == 0 && accesses_ == 0) return false;
    left_ = requests_;
    if (to_create_ != 0) {
      object_ = objects_ - to_create_--;
      return true;
    }
    // Selection sampling: exactly hot_accesses_ of the accesses go to hot objects, every order equally likely.
    const bool hot = random_.below(accesses_--) < hot_accesses_;
    if (hot) --hot_accesses_;
    object_ = places_(hot ? random_.below(hot_objects_) : hot_objects_ + random_.below(objects_ - hot_objects_));
    reads_ = random_.chance(read_);
    return true;
  }

  Random random_;
  std::uint64_t objects_;
  std::uint64_t size_;
  std::uint64_t requests_;  // an object
  double read_;
  std::uint64_t accesses_;      // to come
  std::uint64_t hot_accesses_;  // of them
  std::uint64_t hot_objects_;
  RandomPermutation places_;
  std::uint64_t to_create_;
  std::uint64_t total_;
  std::uint64_t object_ = 0;
  std::uint64_t left_ = 0;  // requests of it to come
  bool reads_ = false;
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<ObjectSource>(values, context)};
}

const GeneratorRegistration registration{{.name = "objects",
                                          .summary = "whole objects, created and then updated, hot ones most often",
                                          .source = "UFLRU's experiment",
                                          .parameters = parameters(),
                                          .make = &make}};

}  // namespace
}  // namespace flashloom
