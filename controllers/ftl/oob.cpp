#include "controllers/ftl/oob.hpp"

#include "controllers/ftl/ftl.hpp"
#include "controllers/hardware/compressor.hpp"
#include "controllers/hardware/hardware.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

OobLayout oob_layout(const FtlContext& context) {
  const Compressor* const compressor = context.hardware.compressor();
  return OobLayout(context.logical_units, compressor == nullptr ? 1 : compressor->whole(),
                   !context.media.low_bits_only());
}

}  // namespace flashloom
