// Spare words without versions, where nobody will mount (docs/adr/0060).
#pragma once

namespace flashloom {

class NandMedia;
struct FtlConfig;

/// Of a device whose power is never cut, before anything is programmed and before its FTL is made: no versions are kept,
/// if the FTL can do without (RecoveryMethods::needs_versions).
void keep_no_versions(NandMedia& media, const FtlConfig& config);

}  // namespace flashloom
