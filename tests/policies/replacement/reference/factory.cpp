#include "tests/policies/replacement/reference/factory.hpp"

#include "tests/policies/replacement/reference/active_inactive.hpp"
#include "tests/policies/replacement/reference/ad_lru.hpp"
#include "tests/policies/replacement/reference/arc.hpp"
#include "tests/policies/replacement/reference/ccf_lru.hpp"
#include "tests/policies/replacement/reference/cflru.hpp"
#include "tests/policies/replacement/reference/clock.hpp"
#include "tests/policies/replacement/reference/dirty_last.hpp"
#include "tests/policies/replacement/reference/dld.hpp"
#include "tests/policies/replacement/reference/dld_arc.hpp"
#include "tests/policies/replacement/reference/dld_arc_shared.hpp"
#include "tests/policies/replacement/reference/fifo.hpp"
#include "tests/policies/replacement/reference/flru.hpp"
#include "tests/policies/replacement/reference/lfu.hpp"
#include "tests/policies/replacement/reference/lirs.hpp"
#include "tests/policies/replacement/reference/lrfu.hpp"
#include "tests/policies/replacement/reference/lru.hpp"
#include "tests/policies/replacement/reference/lru_dpl_cd.hpp"
#include "tests/policies/replacement/reference/mru.hpp"
#include "tests/policies/replacement/reference/s3_fifo.hpp"
#include "tests/policies/replacement/reference/second_chance.hpp"
#include "tests/policies/replacement/reference/sieve.hpp"
#include "tests/policies/replacement/reference/two_q.hpp"

namespace flashloom::reference {
namespace {

template <class T>
T value(const PolicyChoice& choice, const std::string& name, T fallback) {
  const auto found = choice.parameters.all().find(name);
  return found == choice.parameters.all().end() ? fallback : std::get<T>(found->second);
}

std::size_t pages(const PolicyChoice& choice, const CacheShape& setup, const std::string& name, double fallback) {
  return static_cast<std::size_t>(value(choice, name, fallback) * static_cast<double>(setup.capacity));
}

std::unique_ptr<Cache> make_flru(const PolicyChoice& choice, const CacheShape& setup) {
  const auto weight = [&](const char* name, std::int64_t fallback) {
    return static_cast<std::uint64_t>(value(choice, name, fallback));
  };
  return std::make_unique<Flru>(
      setup.capacity, Flru::Weights{weight("read", 1), weight("write", 7), weight("overwrite", 65)}, setup.stored);
}

std::unique_ptr<Cache> make_dirty_last(const PolicyChoice& choice, const CacheShape& setup) {
  const auto base = value<std::string>(choice, "base", "lru");
  return std::make_unique<DirtyLast>(setup.capacity, base == "mru" ? Base::Mru : base == "lfu" ? Base::Lfu : Base::Lru);
}

std::unique_ptr<Cache> make_dld_arc(const PolicyChoice& choice, const CacheShape& setup) {
  const auto mode = value<std::string>(choice, "mode", "repaired");
  if (setup.shared_budget)
    return std::make_unique<DldArcShared>(setup.capacity, setup.pages_per_block, value(choice, "dirty_share", 0.5),
                                          mode == "arc_bounded");
  return std::make_unique<DldArc>(setup.capacity, setup.pages_per_block,
                                  mode == "literal"       ? DldArcMode::Literal
                                  : mode == "arc_bounded" ? DldArcMode::ArcBounded
                                                          : DldArcMode::Repaired);
}

std::size_t remembered_by_lirs(const PolicyChoice& choice, const CacheShape& setup) {
  return pages(choice, setup, "remembered", 2);
}

std::unique_ptr<Cache> make_dld(const PolicyChoice& choice, const CacheShape& setup) {
  const auto real = [&](const char* parameter, double fallback) { return value(choice, parameter, fallback); };
  std::unique_ptr<DoubleCache> base;
  if (choice.name == "dld_two_q")
    base = std::make_unique<DoubleTwoQ>(setup.capacity, real("in", 0.25), real("out", 0.5));
  else if (choice.name == "dld_s3_fifo")
    base = std::make_unique<DoubleS3Fifo>(setup.capacity, real("small", 0.1));
  else
    base = std::make_unique<DoubleLirs>(setup.capacity, real("hir", 0.01), remembered_by_lirs(choice, setup));
  return std::make_unique<Dld>(setup.capacity, std::move(base), setup.pages_per_block, setup.shared_budget,
                               real("dirty_share", 0.5));
}

}  // namespace

std::unique_ptr<Cache> make_reference(const PolicyChoice& choice, const CacheShape& setup) {
  const std::string& name = choice.name;
  const std::size_t capacity = setup.capacity;
  const auto real = [&](const char* parameter, double fallback) { return value(choice, parameter, fallback); };
  const auto whole = [&](const char* parameter, std::int64_t fallback) { return value(choice, parameter, fallback); };
  if (name == "lru") return std::make_unique<Lru>(capacity);
  if (name == "mru") return std::make_unique<Mru>(capacity);
  if (name == "lfu") return std::make_unique<Lfu>(capacity);
  if (name == "fifo") return std::make_unique<Fifo>(capacity);
  if (name == "clock")
    return std::make_unique<Clock>(capacity, static_cast<int>(whole("counter", 1)),
                                   static_cast<int>(whole("initial", 0)));
  if (name == "second_chance") return std::make_unique<SecondChance>(capacity);
  if (name == "sieve") return std::make_unique<Sieve>(capacity);
  // Unless it is told which objects are mapped, UFLRU is the pair of active and inactive lists that it is built on.
  if (name == "active_inactive" || name == "uflru")
    return std::make_unique<ActiveInactive>(capacity, real("inactive", 0.5), value(choice, "rotate", true));
  if (name == "two_q") return std::make_unique<TwoQ>(capacity, real("in", 0.25), real("out", 0.5));
  if (name == "lrfu") return std::make_unique<Lrfu>(capacity, real("lambda", 0.001));
  if (name == "arc") return std::make_unique<Arc>(capacity);
  if (name == "cflru") return std::make_unique<Cflru>(capacity, pages(choice, setup, "window", 0.3));
  if (name == "dirty_last") return make_dirty_last(choice, setup);
  if (name == "lru_dpl_cd") return std::make_unique<LruDplCd>(capacity);
  if (name == "flru") return make_flru(choice, setup);
  if (name == "dld_arc") return make_dld_arc(choice, setup);
  if (name == "belady") return std::make_unique<Belady>(capacity, *setup.future);
  if (name == "ccf_lru") return std::make_unique<CcfLru>(capacity);
  if (name == "ad_lru") return std::make_unique<AdLru>(capacity, pages(choice, setup, "min_lc", 0.1));
  if (name == "s3_fifo") return std::make_unique<S3Fifo>(capacity, real("small", 0.1));
  if (name == "lirs") return std::make_unique<Lirs>(capacity, real("hir", 0.01), remembered_by_lirs(choice, setup));
  if (name == "dld_two_q" || name == "dld_lirs" || name == "dld_s3_fifo") return make_dld(choice, setup);
  return nullptr;
}

}  // namespace flashloom::reference
