#include "controllers/ftl/oob.hpp"

#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/unit_sizes.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

OobLayout oob_layout(const FtlContext& context, std::uint32_t sizes) {
  return OobLayout(context.logical_units, sizes, !context.media.low_bits_only());
}

OobLayout oob_layout(const FtlContext& context) {
  return oob_layout(context, context.sizes == nullptr ? 1 : context.sizes->whole());
}

}  // namespace flashloom
