#include "controllers/array/array_config.hpp"

#include "controllers/array/array_layout.hpp"
#include "controllers/array/array_media.hpp"
#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const ArrayConfig& array, std::uint32_t sector_bytes, std::uint32_t unit_bytes,
                  std::uint64_t drive_bytes) {
  const std::string level = "array.level \"" + array.level + "\"";
  const std::uint32_t least = array.level == "raid6"                              ? 4
                              : array.level == "raid5"                            ? 3
                              : array.level == "raid1" || array.level == "raid10" ? 2
                                                                                  : 1;
  require(array.drives >= least, "array.drives", array.drives, " are too few for ", level, "; valid: at least ", least);
  require(array.level != "raid10" || array.drives % 2 == 0, "array.drives", array.drives, " are no pairs, of which ",
          level, " is; valid: an even number");
  require(array.chunk % unit_bytes == 0, "array.chunk", MessageBytes{array.chunk},
          " is no multiple of ftl.mapping_unit, ", MessageBytes{unit_bytes});
  require(array.chunk <= drive_bytes, "array.chunk", MessageBytes{array.chunk}, " is more than a drive has, ",
          MessageBytes{drive_bytes});
  const ArrayLayout layout(array, drive_bytes);
  require(layout.capacity() / layout.lock_bytes() < ~std::uint32_t{0} && layout.stripes() < ~std::uint32_t{0},
          "array.chunk", MessageBytes{array.chunk}, " makes more stripes than 2^32 of drives of ",
          MessageBytes{drive_bytes});
  require(!array.has_parity() || layout.stripe_bytes() <= ~std::uint32_t{0}, "array.chunk", MessageBytes{array.chunk},
          " makes stripes of ", MessageBytes{layout.stripe_bytes()}, " of data; valid: less than 4 GiB");
  require(array.fail_at == 0 || array.has_redundancy(), "array.fail_at", MessageTime{array.fail_at},
          ": nothing is left of ", level, " without a drive; valid: 0 s, or raid1, raid10, raid5, raid6");
  require(array.fail_at == 0 || array.failed_drive < array.drives, "array.failed_drive", array.failed_drive,
          " is none of ", array.drives, " drives, which are numbered from 0");
  require(array.rebuild_at == 0 || array.has_redundancy(), "array.rebuild_at", MessageTime{array.rebuild_at},
          ": nothing can be rebuilt of ", level, "; valid: 0 s, or raid1, raid10, raid5, raid6");
  require(array.journal == "none" || array.has_redundancy(), "array.journal", "\"", array.journal,
          "\" keeps drives of ", level, " in step, which are not redundant; valid: none");
  require(array.journal != "write_ahead" || array.has_parity(), "array.journal",
          "\"write_ahead\" is for parity, and mirrors are in step after a resync; valid with ", level,
          ": none, bitmap");
  require(array.journal == "none" || array.nvram.size != 0, "array.journal", "\"", array.journal,
          "\" lies in an NVRAM of the host; set array.nvram.kind and array.nvram.size");
  if (array.journal == "write_ahead") {
    const std::uint64_t stripe = journal_entry_bytes(array.drives * (array.chunk / sector_bytes), sector_bytes);
    require(array.nvram.size >= stripe, "array.nvram.size", MessageBytes{array.nvram.size},
            " does not hold the entry of one whole stripe; valid: at least ", MessageBytes{stripe});
  }
  if (array.journal == "bitmap") {
    require(array.bitmap_chunk % array.chunk == 0, "array.bitmap_chunk", MessageBytes{array.bitmap_chunk},
            " is no multiple of array.chunk, ", MessageBytes{array.chunk});
    const std::uint64_t bits = (layout.stripes() * array.chunk + array.bitmap_chunk - 1) / array.bitmap_chunk;
    require((bits + 7) / 8 <= array.nvram.size, "array.nvram.size", MessageBytes{array.nvram.size},
            " does not hold a bitmap of ", bits, " bits");
  }
}

}  // namespace flashloom
