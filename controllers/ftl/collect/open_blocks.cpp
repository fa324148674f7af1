#include "controllers/ftl/collect/open_blocks.hpp"

namespace flashloom {

OpenBlocks::OpenBlocks(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const Victims& victims,
                       FtlStatistics& statistics, bool map_stream)
    : blocks_(blocks),
      exposes_(programmer.exposed().possible()),
      closed_(programmer, statistics),
      erases_(context, blocks, *this),
      host_(context, blocks, programmer, closed_, erases_, statistics, map_stream),
      copies_(context, blocks, programmer, victims, host_, closed_, erases_, statistics) {}

// Blocks that only wait for what is in flight need nothing, and on the other clock may wait no more.
void OpenBlocks::program_for_erase(BlockNumber block) {
  copies_.seal_newer(block);
  if (!blocks_.waits().unused(block)) host_.seal_newer(block);
  if (exposes_ && !blocks_.waits().unused(block) && waits_for_data(block)) {
    host_.pad_exposed(block);
    copies_.pad_exposed(block);
    erases_.data_programmed();
  }
}

}  // namespace flashloom
