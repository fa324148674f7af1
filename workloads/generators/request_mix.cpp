#include "workloads/generators/request_mix.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {

std::vector<GeneratorParameter> RequestMix::parameters() {
  using enum GeneratorUnit;
  return with(
      {share_parameter("read", 0.7, "share of reads; the rest writes"),
       share_parameter("trim", 0.0, "share of trims"),
       share_parameter("zeroes", 0.0, "share of write zeroes"),
       {.name = "size",
        .default_value = WeightedSizes{{4096, 1.0}},
        .unit = Sizes,
        .minimum = 1,
        .maximum = 1 << 30,
        .help = "of a request, or several with weights: \"4 KiB: 70 %, 64 KiB: 30 %\""},
       share_parameter("random", 1.0, "share that begins at a random place; the rest where the last request ended"),
       {.name = "align",
        .default_value = std::int64_t{0},
        .unit = Bytes,
        .minimum = 0,
        .maximum = 1 << 30,
        .help = "random places are multiples of it; 0: of the smallest size"},
       {.name = "distribution",
        .default_value = std::string("uniform"),
        .choices = {"uniform", "zipf", "hot_cold"},
        .help = "of the random places"},
       {.name = "theta",
        .default_value = 0.99,
        .minimum = 0,
        .maximum = 20,
        .help = "zipf: the place of rank k is taken with probability proportional to k^-theta"},
       share_parameter("hot_space", 0.2, "hot_cold: share of the places that are hot"),
       share_parameter("hot_access", 0.8, "hot_cold: share of the random requests that go there"),
       {.name = "scatter",
        .default_value = true,
        .help = "popular places lie anywhere; false: at the begin, in order of popularity"},
       {.name = "flush_every",
        .default_value = std::int64_t{0},
        .minimum = 0,
        .maximum = 1e15,
        .help = "a flush after so many writes; 0: none"},
       share_parameter("fua", 0.0, "share of the writes with force unit access")},
      RequestBudget::parameters());
}

RequestMix::RequestMix(const GeneratorValues& values, const GeneratorContext& context)
    : budget_(values, context),
      random_(derived_seed(context.seed, 0)),
      read_(values.real("read")),
      trim_(values.real("trim")),
      zeroes_(values.real("zeroes")),
      random_share_(values.real("random")),
      fua_(values.real("fua")),
      flush_every_(values.count("flush_every")),
      capacity_(context.space.capacity),
      hot_access_(values.real("hot_access")) {
  if (read_ + trim_ + zeroes_ > 1 + 1e-9)
    throw GeneratorError(zeroes_ == 0 ? "trim" : "zeroes",
                         zeroes_ == 0 ? "the shares of reads and trims exceed 1"
                                      : "the shares of reads, trims and write zeroes exceed 1");
  std::vector<double> weights;
  for (const auto& [size, weight] : values.get<WeightedSizes>("size")) {
    check_size("size", size, context.space);
    sizes_.push_back(size);
    weights.push_back(weight);
  }
  if (sizes_.size() > 1) size_.emplace(weights);
  const auto [smallest, largest] = std::minmax_element(sizes_.begin(), sizes_.end());
  align_ = values.count("align");
  if (align_ == 0)
    align_ = *smallest;
  else
    check_size("align", align_, context.space);
  places_ = (capacity_ - *largest) / align_ + 1;
  const std::string& distribution = values.text("distribution");
  if (distribution == "zipf") zipf_.emplace(places_, values.real("theta"));
  if (distribution == "hot_cold") {
    const double hot = values.real("hot_space") * static_cast<double>(places_) + 0.5;
    if (places_ < 2) throw GeneratorError("distribution", "the region holds one place: no two classes");
    hot_places_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(hot), 1, places_ - 1);
  }
  if (values.flag("scatter") && distribution != "uniform") scatter_.emplace(places_, derived_seed(context.seed, 1));
}

// Draws a place, numbered by popularity.
inline std::uint64_t RequestMix::draw_place() {
  if (zipf_) return (*zipf_)(random_)-1;
  if (hot_places_ == 0) return random_.below(places_);
  return random_.chance(hot_access_) ? random_.below(hot_places_) : hot_places_ + random_.below(places_ - hot_places_);
}

bool RequestMix::next(Request& request) {
  request = Request{};
  if (flush_every_ != 0 && writes_ == flush_every_) {
    writes_ = 0;
    request.kind = RequestKind::Flush;
    return true;
  }
  if (budget_.spent()) return false;
  const double kind = kind_ ? *std::exchange(kind_, std::nullopt) : random_.unit();
  request.kind = kind < read_                     ? RequestKind::Read
                 : kind < read_ + trim_           ? RequestKind::Trim
                 : kind < read_ + trim_ + zeroes_ ? RequestKind::WriteZeroes
                                                  : RequestKind::Write;
  request.length = draw_length();
  request.offset = random_.chance(random_share_) ? offset_of(draw_place()) : behind_last(request.length);
  cursor_ = request.offset + request.length;
  if (request.kind == RequestKind::Write) {
    ++writes_;
    request.fua = fua_ != 0 && random_.chance(fua_);
  }
  budget_.count(request);
  return true;
}

std::uint64_t RequestMix::pass_reads(std::uint64_t most, std::uint64_t& bytes) {
  if (flush_every_ != 0 && writes_ == flush_every_) return 0;
  std::uint64_t passed = 0;
  std::optional<std::uint64_t> place;  // of the last read, if it was random
  Request read{.kind = RequestKind::Read};
  while (passed < most && !budget_.spent()) {
    if (!kind_) kind_ = random_.unit();
    if (*kind_ >= read_) break;
    kind_.reset();
    const std::uint64_t before = std::exchange(read.length, draw_length());
    if (random_.chance(random_share_)) {
      place = draw_place();
    } else {
      if (place) cursor_ = offset_of(*std::exchange(place, std::nullopt)) + before;
      cursor_ = behind_last(read.length) + read.length;
    }
    budget_.count(read);
    bytes += read.length;
    ++passed;
  }
  if (place) cursor_ = offset_of(*place) + read.length;
  return passed;
}

std::uint64_t RequestMix::expected_requests() const {
  if (flush_every_ != 0) return 0;
  return budget_.expected(sizes_.size() == 1 ? sizes_.front() : 0);
}

}  // namespace flashloom
