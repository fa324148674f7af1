// objects: accesses whole objects one after another, hot ones most often, as UFLRU's experiment does: 400 objects of
// 2 MiB are created; then come 500 accesses, each of one whole object; exactly 80 % of them go to hot objects. The
// share of hot objects (10 to 40 % in the study's figures) is a parameter. Parameters beyond the study are the read
// share, a distribution of sizes, Zipf's law instead of hot and cold, accesses to parts, and replaced objects. A heap
// (docs/reference/heap.md) gets operations on objects; block I/O is the traffic of a heap without memory in front of its store.
#include <algorithm>
#include <optional>

#include "workloads/distributions.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/objects/block_objects.hpp"
#include "workloads/objects/process_lives.hpp"
#include "workloads/permutation.hpp"

namespace flashloom::generator::objects {
namespace {

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  const auto count = [](const char* name, std::int64_t value, const char* help) {
    return GeneratorParameter{.name = name, .default_value = value, .minimum = 1, .maximum = 4e9, .help = help};
  };
  const auto share = [](const char* name, double value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .unit = Ratio, .minimum = 0, .maximum = 1, .help = help};
  };
  return {count("objects", 400, "number of objects, one after the other in the region"),
          {.name = "object",
           .default_value = WeightedSizes{{2 << 20, 1.0}},
           .unit = Sizes,
           .minimum = 512,
           .maximum = 0x1p40,
           .help = "size of an object"},
          {.name = "size",
           .default_value = std::int64_t{128 << 10},
           .unit = Bytes,
           .minimum = 512,
           .maximum = 0x1p40,
           .help = "size of a request; an object is a multiple. A heap takes accesses whole"},
          {.name = "create", .default_value = true, .help = "write every object once beforehand, in order"},
          count("accesses", 500, "accesses to objects after that"),
          {.name = "distribution",
           .default_value = std::string("hot_cold"),
           .choices = {"hot_cold", "zipf"},
           .help = "which object is accessed"},
          share("hot", 0.2, "hot_cold: share of the objects that are hot"),
          {.name = "hot_last",
           .default_value = false,
           .help = "the objects accessed most often are created last and lie last; else anywhere"},
          share("hot_access", 0.8, "hot_cold: share of the accesses that go to hot objects, exactly"),
          share("kept", 1.0, "hot_cold: share of the hot objects that are known to be hot: heap.mapping = \"hot\""),
          {.name = "theta",
           .default_value = 0.99,
           .minimum = 0,
           .maximum = 10,
           .help = "zipf: the object of rank k has probability proportional to k^-theta"},
          share("read", 0.0, "share of the accesses that read; the rest update"),
          {.name = "part",
           .default_value = std::int64_t{0},
           .unit = Bytes,
           .minimum = 0,
           .maximum = 0x1p40,
           .help = "bytes of an access, at a random multiple of that in the object; 0 B: the whole object"},
          share("replace", 0.0, "share of the accesses that delete the object and create and write it anew"),
          {.name = "processes",
           .default_value = std::int64_t{1},
           .minimum = 1,
           .maximum = 1e6,
           .help = "processes that live at once and access in turn: heap.mapping = \"process\""},
          {.name = "life",
           .default_value = std::int64_t{0},
           .minimum = 0,
           .maximum = 4e9,
           .help = "accesses that a process does before it ends and another takes its place; 0: it never ends"},
          {.name = "hot_life",
           .default_value = std::int64_t{0},
           .minimum = 0,
           .maximum = 4e9,
           .help = "hot_cold: accesses that a process does of those that do the hot accesses, as many again; 0: there "
                   "are none apart"},
          {.name = "creators",
           .default_value = false,
           .help = "hot_life: the processes that do the hot accesses create the hot objects in turn, and have them "
                   "mapped; else a process does that ends before the first access"},
          {.name = "lives",
           .default_value = std::string("fixed"),
           .choices = {"fixed", "geometric"},
           .help = "life is that of every process, or the mean of a geometric distribution"},
          share("reuse", 0.0,
                "share of the accesses that repeat one that the process has done before, of a hot or a cold object as "
                "its turn has it")};
}

// The objects of a workload: draws their sizes and places once, independently of the accesses.
class Objects {
 public:
  Objects(const GeneratorValues& values, const GeneratorContext& context)
      : count_(values.count("objects")), request_(values.count("size")), part_(values.count("part")) {
    const auto& sizes = values.get<WeightedSizes>("object");
    check_size("size", request_, context.space);
    if (part_ != 0) check_size("part", part_, context.space);
    std::vector<double> weights;
    for (const auto& [size, weight] : sizes) {
      if (size % request_ != 0) throw GeneratorError("object", "is no multiple of the size of a request");
      if (part_ != 0 && (size % part_ != 0 || part_ % request_ != 0))
        throw GeneratorError("part", "is no multiple of the size of a request, or does not divide the object");
      weights.push_back(weight);
    }
    size_ = sizes.front().first;
    const auto smallest = std::min_element(sizes.begin(), sizes.end())->first;
    const auto refuse = [&](std::uint64_t most) {
      throw GeneratorError("objects", "do not fit: the region holds " + std::to_string(most));
    };
    if (count_ > context.space.capacity / smallest) refuse(context.space.capacity / smallest);
    if (sizes.size() == 1) return;
    Random random(derived_seed(context.seed, 2));
    const WeightedIndex index(weights);
    bases_ = {0};
    for (std::uint64_t object = 0; object < count_; ++object) {
      bases_.push_back(bases_.back() + sizes[index(random)].first);
      if (bases_.back() > context.space.capacity) refuse(object);
    }
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t request() const { return request_; }
  std::uint64_t part() const { return part_; }
  /// Size of every object, if alike().
  std::uint64_t size() const { return size_; }
  bool alike() const { return bases_.empty(); }
  std::uint64_t size(std::uint64_t object) const {
    return alike() ? size_ : bases_[static_cast<std::size_t>(object) + 1] - bases_[static_cast<std::size_t>(object)];
  }
  const std::vector<std::uint64_t>& bases() const { return bases_; }

 private:
  std::uint64_t count_;
  std::uint64_t request_;
  std::uint64_t part_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> bases_;
};

class Accesses final : public ObjectSource {
 public:
  Accesses(const GeneratorValues& values, const GeneratorContext& context)
      : objects_(values, context),
        random_(derived_seed(context.seed, 0)),
        read_(values.real("read")),
        replace_(values.real("replace")),
        write_first_(values.flag("create")),
        accesses_(values.count("accesses")),
        hot_accesses_(share_of(accesses_, values.real("hot_access"))),
        hot_objects_(share_of(objects_.count(), values.real("hot"))),
        kept_objects_(share_of(hot_objects_, values.real("kept"))),
        places_(objects_.count(), derived_seed(context.seed, 1)),
        hot_last_(values.flag("hot_last")),
        to_create_(objects_.count()),
        reuse_(values.real("reuse")),
        reuse_random_(derived_seed(context.seed, 4)),
        lives_(values.count("processes"), values.count("life"), values.text("lives") == "geometric",
               derived_seed(context.seed, 3)) {
    if (values.count("hot_life") != 0)
      hot_lives_.emplace(values.count("processes"), values.count("hot_life"), values.text("lives") == "geometric",
                         derived_seed(context.seed, 5));
    if (hot_lives_ && values.flag("creators")) creators_ = static_cast<std::uint32_t>(values.count("processes"));
    if (reuse_ != 0) used_.resize(static_cast<std::size_t>(values.count("processes")) * 2);
    expected_ = to_create_ * (write_first_ ? 2 : 1) + (replace_ == 0 ? accesses_ : 0);
    if (values.text("distribution") == "zipf") {
      zipf_.emplace(objects_.count(), values.real("theta"));
      return;
    }
    if (hot_objects_ == 0 && hot_accesses_ != 0) throw GeneratorError("hot", "no object is hot, but accesses are");
    if (hot_objects_ == objects_.count() && hot_accesses_ != accesses_)
      throw GeneratorError("hot", "every object is hot, but not every access");
    hot_places_.resize(objects_.count());
    for (std::uint64_t rank = 0; rank < kept_objects_; ++rank)
      hot_places_[static_cast<std::size_t>(place(rank))] = true;
    while (creators_ != 0 && last_created_ != 0 && hot_places_[static_cast<std::size_t>(last_created_)])
      --last_created_;
  }

  bool next(ObjectRequest& request) override {
    if (then_ == Then::Nothing && !choose()) return false;
    request = {.setup = setup_, .hot = hot_, .object = static_cast<std::uint32_t>(object_)};
    switch (std::exchange(then_, Then::Nothing)) {
      case Then::Delete:
        request.operation = ObjectOperation::Delete;
        then_ = Then::Create;
        break;
      case Then::Create:
        request.operation = ObjectOperation::Create;
        request.length = objects_.size(object_);
        if (!setup_ || write_first_) then_ = Then::Write;
        break;
      case Then::Write:
      case Then::Access:
      case Then::Nothing:
        request.operation = reads_ ? ObjectOperation::Read : ObjectOperation::Update;
        request.offset = offset_;
        request.length = length_;
        break;
    }
    request.process = turn_.process;
    request.ends = then_ == Then::Nothing && (setup_ ? object_ == last_created_ : turn_.ends);
    return true;
  }
  std::uint64_t expected_requests() const override { return expected_; }
  std::uint64_t objects() const override { return objects_.count(); }
  const Objects& shape() const { return objects_; }
  /// Total number of block requests; 0: not known.
  std::uint64_t block_requests() const {
    if (!objects_.alike() || replace_ != 0) return 0;
    const std::uint64_t part = objects_.part() != 0 ? objects_.part() : objects_.size();
    return (write_first_ ? objects_.count() * (objects_.size() / objects_.request()) : 0) +
           accesses_ * (part / objects_.request());
  }

 private:
  enum class Then : std::uint8_t { Nothing, Delete, Create, Write, Access };

  static std::uint64_t share_of(std::uint64_t n, double share) {
    return static_cast<std::uint64_t>(static_cast<double>(n) * share + 0.5);
  }

  std::uint64_t place(std::uint64_t rank) const { return hot_last_ ? objects_.count() - 1 - rank : places_(rank); }

  // Chooses the next object and its operation; false at the end.
  bool choose() {
    reads_ = false;
    offset_ = 0;
    setup_ = to_create_ != 0;
    if (setup_) {
      object_ = objects_.count() - to_create_--;
      hot_ = !hot_places_.empty() && hot_places_[static_cast<std::size_t>(object_)];
      length_ = objects_.size(object_);
      then_ = Then::Create;
      turn_.process = hot_ && creators_ != 0 ? hot_number(1 + created_hot_++ % creators_) : 0;
      return true;
    }
    if (accesses_ == 0) return false;
    const std::uint64_t rank = next_rank();
    object_ = place(rank);
    hot_ = !zipf_ && rank < kept_objects_;
    --accesses_;
    length_ = objects_.size(object_);
    reads_ = random_.chance(read_);
    then_ = Then::Access;
    if (replace_ != 0 && random_.chance(replace_)) {
      then_ = Then::Delete;
      reads_ = false;
    } else if (objects_.part() != 0) {
      offset_ = random_.below(length_ / objects_.part()) * objects_.part();
      length_ = objects_.part();
    }
    return true;
  }

  // Selection sampling: exactly hot_accesses_ of the accesses go to hot objects, and every order is equally likely.
  std::uint64_t next_rank() {
    const bool hot = !zipf_ && random_.below(accesses_) < hot_accesses_;
    if (hot) --hot_accesses_;
    turn_ = (hot && hot_lives_ ? *hot_lives_ : lives_).next();
    if (hot_lives_) turn_.process = hot ? hot_number(turn_.process) : turn_.process * 2;
    if (reuse_ == 0) return draw(hot);
    const std::size_t place = std::size_t{turn_.place} * 2;
    if (turn_.begins) {
      if (!hot || !hot_lives_) used_[place].clear();
      if (hot || !hot_lives_) used_[place + 1].clear();
    }
    std::vector<std::uint64_t>& used = used_[place + (hot ? 1 : 0)];
    const bool again = reuse_random_.chance(reuse_) && !used.empty();
    used.push_back(again ? used[static_cast<std::size_t>(reuse_random_.below(used.size()))] : draw(hot));
    return used.back();
  }

  static std::uint32_t hot_number(std::uint32_t process) { return process * 2 + 1; }

  std::uint64_t draw(bool hot) {
    if (zipf_) return (*zipf_)(random_)-1;
    return hot ? random_.below(hot_objects_) : hot_objects_ + random_.below(objects_.count() - hot_objects_);
  }

  Objects objects_;
  Random random_;
  double read_;
  double replace_;
  bool write_first_;
  std::uint64_t accesses_;      // accesses left
  std::uint64_t hot_accesses_;  // hot accesses left
  std::uint64_t hot_objects_;
  std::uint64_t kept_objects_;
  std::optional<ZipfRank> zipf_;
  RandomPermutation places_;
  bool hot_last_;
  std::uint64_t to_create_;
  double reuse_;
  Random reuse_random_;
  ProcessLives lives_;
  std::optional<ProcessLives> hot_lives_;
  std::uint32_t creators_ = 0;                         // processes that create hot objects
  std::uint32_t created_hot_ = 0;                      // hot objects created so far
  std::uint64_t last_created_ = objects_.count() - 1;  // object with which process 0 ends
  ProcessLives::Turn turn_;                            // process 0 creates the objects
  std::vector<std::vector<std::uint64_t>> used_;       // ranks accessed by each place's process: cold, then hot ones
  std::uint64_t expected_ = 0;
  Then then_ = Then::Nothing;
  std::uint64_t object_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t length_ = 0;
  std::vector<bool> hot_places_;  // by object
  bool hot_ = false;
  bool setup_ = false;
  bool reads_ = false;
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  GeneratedWorkload made;
  made.objects = std::make_unique<Accesses>(values, context);
  auto accesses = std::make_unique<Accesses>(values, context);
  const Objects& objects = accesses->shape();
  const std::uint64_t request = objects.request();
  const std::uint64_t size = objects.size();
  const std::uint64_t expected = accesses->block_requests();
  std::vector<std::uint64_t> bases = objects.bases();
  made.source = std::make_unique<BlocksOfObjects>(std::move(accesses), request, size, std::move(bases), expected);
  return made;
}

const GeneratorRegistration registration{{.name = "objects",
                                          .summary = "whole objects, created and then updated, hot ones most often",
                                          .source = "UFLRU's experiment",
                                          .parameters = parameters(),
                                          .make = &make}};

}  // namespace
}  // namespace flashloom::generator::objects
