#include "controllers/host/to_command.hpp"

namespace flashloom {

void to_command(const Request& request, IoCommand& command) {
  switch (request.kind) {
    case RequestKind::Read:
      command.operation = IoOperation::Read;
      break;
    case RequestKind::Write:
      command.operation = IoOperation::Write;
      break;
    case RequestKind::Trim:
      command.operation = IoOperation::Trim;
      break;
    case RequestKind::Flush:
      command.operation = IoOperation::Flush;
      break;
    case RequestKind::WriteZeroes:
      command.operation = IoOperation::WriteZeroes;
      break;
  }
  command.status = IoStatus::Ok;
  command.offset = request.kind == RequestKind::Flush ? 0 : request.offset;
  command.length = request.kind == RequestKind::Flush ? 0 : request.length;
  command.fua = request.fua;
  command.stream = request.stream;
  command.placement = {static_cast<Directive>(request.directive), request.identifier};
  command.range_count = 0;
  command.ranges = nullptr;
}

}  // namespace flashloom
