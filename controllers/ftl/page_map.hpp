// Page mapping over UnitMap: log-structured writes striped by the placement policy, foreground GC on each die. page_map
// as it is; the base of FTLs that differ in where the map is kept.
#pragma once

#include "controllers/ftl/collector.hpp"
#include "controllers/ftl/mapped_ftl.hpp"
#include "controllers/ftl/write_frontier.hpp"

namespace flashloom {

class PageMapFtl : public MappedFtl {
 public:
  /// `map_stream`: translation pages are written, too (WriteFrontier).
  explicit PageMapFtl(const FtlContext& context, bool map_stream = false);

  Task<void> recover() override;
  Task<void> write(WriteUnit& unit) override;
  Task<bool> idle() override;
  Task<void> seal() override;
  void state(StateArchive& archive, FrontBuffer& front) override;
  std::uint32_t waiting_units() const override {
    return frontier_.host_streams() * context_.geometry.units_per_program();
  }
  std::vector<std::string> stream_names() const override { return frontier_.stream_names(); }

 protected:
  Collector collector_;
  WriteFrontier frontier_;

 private:
  bool opening_ = false;  // a write waits for a program unit
  WaitList opened_;       // for that to be over
};

}  // namespace flashloom
