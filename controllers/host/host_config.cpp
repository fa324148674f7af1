#include "controllers/host/host_config.hpp"

#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const HostCacheConfig& cache, std::uint32_t sector) {
  constexpr std::uint64_t kMostPages = std::uint64_t{1} << 30;
  require(cache.page % sector == 0, "host.cache.page", MessageBytes{cache.page},
          " is no multiple of host_interface.sector_size, ", MessageBytes{sector});
  require(cache.size == 0 || cache.size >= cache.page, "host.cache.size", MessageBytes{cache.size},
          " does not hold one page of ", MessageBytes{cache.page}, "; valid: 0 B, or at least that");
  require(cache.size / cache.page <= kMostPages, "host.cache.size", MessageBytes{cache.size}, " are more than ",
          kMostPages, " pages; valid: larger pages, or less");
  require(cache.request >= cache.page, "host.cache.request", MessageBytes{cache.request}, " does not hold one page of ",
          MessageBytes{cache.page});
  require(cache.dirty_background <= cache.dirty_hard, "host.cache.dirty_background", cache.dirty_background,
          " is more than host.cache.dirty_hard, ", cache.dirty_hard);
}

}  // namespace flashloom
