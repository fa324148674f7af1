// Spare words without versions, for devices that never mount (docs/adr/0060).
#pragma once

namespace flashloom {

class NandMedia;
struct FtlConfig;

/// For a device whose power is never cut: makes it keep no versions, if the FTL can work without
/// (RecoveryMethods::needs_versions). To be called before anything is programmed and before the FTL is made.
void keep_no_versions(NandMedia& media, const FtlConfig& config);

}  // namespace flashloom
