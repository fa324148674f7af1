#include "workloads/traces/scsi.hpp"

namespace flashloom {

std::optional<RequestKind> scsi_request(std::uint64_t opcode) {
  switch (opcode) {
    case 0x08:
    case 0x28:
    case 0xa8:
    case 0x88:
      return RequestKind::Read;
    case 0x0a:
    case 0x2a:
    case 0xaa:
    case 0x8a:
    case 0x2e:
    case 0xae:
    case 0x8e:
      return RequestKind::Write;
    case 0x35:
    case 0x91:
      return RequestKind::Flush;
    default:
      return std::nullopt;
  }
}

}  // namespace flashloom
