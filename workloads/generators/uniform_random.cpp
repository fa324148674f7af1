#include "workloads/generators/uniform_random.hpp"

#include <stdexcept>

namespace flashloom {

UniformRandomSource::UniformRandomSource(const UniformRandomOptions& options)
    : options_(options),
      blocks_(options.request_size == 0 ? 0 : options.length / options.request_size),
      random_(options.seed) {
  if (blocks_ == 0) throw std::invalid_argument("UniformRandomSource: the range holds no request");
}

bool UniformRandomSource::next(Request& request) {
  if (given_ == options_.requests) return false;
  ++given_;
  request = Request{};
  request.offset = options_.offset + random_.below(blocks_) * options_.request_size;
  request.length = options_.request_size;
  request.kind = options_.kind;
  return true;
}

}  // namespace flashloom
