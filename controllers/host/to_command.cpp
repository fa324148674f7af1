#include "controllers/host/to_command.hpp"

namespace flashloom {

void to_command(const Request& request, IoCommand& command) {
  static_assert(kRequestKinds == kIoOperations &&
                static_cast<std::size_t>(RequestKind::ZoneReport) == static_cast<std::size_t>(IoOperation::ZoneReport));
  command.operation = static_cast<IoOperation>(request.kind);  // the same commands in the same order
  command.status = IoStatus::Ok;
  command.offset = request.kind == RequestKind::Flush ? 0 : request.offset;
  command.length = request.kind == RequestKind::Flush ? 0 : request.length;
  command.fua = request.fua;
  command.stream = request.stream;
  command.placement = {static_cast<Directive>(request.directive), request.identifier};
  command.range_count = 0;
  command.ranges = nullptr;
  command.all_zones = request.all_zones;
  command.random_write_area = request.random_write_area;
  command.placed = kNowhere;
  command.report = nullptr;
}

}  // namespace flashloom
