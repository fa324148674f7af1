"""SimpleSSD's device configuration, version 2 (SimpleSSD/SimpleSSD; config/*.cfg explains its keys) as a device file."""
from ..errors import BadInput
from .draft import LANES, Draft, rate, room_for_gc, size, some_time, time, times, transfers
from .source import Source, read_text, sections

DEFAULTS = {
    "pal.DMAWidth": "8", "pal.EnableMultiPlaneOperation": "1", "pal.PageAllocation": "CWDP", "pal.SuperblockSize": "", "pal.CSBRead": "0",
    "pal.CSBWrite": "0", "pal.MSBRead": "0", "pal.MSBWrite": "0", "ftl.GCThreshold": "0.05", "ftl.GCReclaimBlocks": "1",
    "ftl.GCReclaimThreshold": "0.1", "ftl.GCMode": "0", "ftl.DChoiceParam": "3", "ftl.EvictPolicy": "0", "ftl.MappingMode": "0",
    "icl.EnableReadCache": "0", "icl.EnableWriteCache": "1", "icl.EnableReadPrefetch": "0", "icl.EvictPolicy": "2", "nvme.LBASize": "512",
    "cpu.HILCoreCount": "1", "cpu.ICLCoreCount": "1", "cpu.FTLCoreCount": "1", "cpu.ClockSpeed": "400000000",
}
PAGE_TYPES = {"0": ("LSB",), "1": ("LSB", "MSB"), "2": ("LSB", "CSB", "MSB")}
NO_EFFECT = {
    "ufs.": "the drive is NVMe", "sata.": "the drive is NVMe", "nvme.AXI": "no bus inside the controller",
    "nvme.FIFOTransferUnit": "no bus inside the controller",
    "nvme.MaxIO": "host.queues are as many as the host opens", "nvme.WRR": "of weighted arbitration, which no host asks for; host_interface.kind",
    "nvme.DefaultNamespace": "one namespace", "nvme.EnableDiskImage": "flashloom nbd has contents", "nvme.StrictSizeCheck": "of the image",
    "nvme.DiskImageFile": "of the image",
    "nvme.UseCopyOnWriteDisk": "of the image", "icl.CacheWaySize": "the buffer is fully associative", "icl.EvictMode": "pages leave one by one",
    "icl.CacheLatency": "in cycles of the cores", "icl.ReadPrefetchCount": "two sequential reads begin it", "dram.IDD": "dram.*_energy",
    "dram.VDD": "dram.*_energy",
    "dram.t": "of dram.model = banked", "dram.Page": "of dram.model = banked", "dram.Bank": "of dram.model = banked",
    "dram.BurstLength": "of dram.model = banked",
    "dram.DRAMPageSize": "of dram.model = banked", "dram.Model": "dram.model = flat", "dram.DRAMModel": "dram.model = flat",
    "ftl.EnableRandomIOTweak": "pages are mapped one by one",
    "ftl.FillingMode": "filled in order",
}
CHANGING = {"nvme.WorkInterval": "the controller does not poll: an event wakes it",
            "nvme.MaxRequestCount": "the controller does not poll: an event wakes it"}


def read_simplessd(path: str) -> Draft:
    """Throws BadInput."""
    text = read_text(path)
    if text.lstrip().startswith("<"):
        raise BadInput(f"{path}: is of SimpleSSD 2.1 or 3, whose XML no public file fills; valid: an INI file of version 2")
    source = Source(path, sections(path, text), DEFAULTS)
    if not any(key.startswith("pal.") for key in source.given):
        raise BadInput(f"{path}: has no section [pal]" + (": it configures the simulation, not the drive" if any(key.startswith(("global.",
                "trace.")) for key in source.given)
                                                             else "; [ssd] is of SimpleSSD 1"))
    draft = Draft(source, "SimpleSSD")
    flash(draft)
    ftl(draft)
    cache(draft)
    host(draft)
    for key in source.given:
        if key not in draft.rows:
            for group, changes in ((NO_EFFECT, False), (CHANGING, True)):
                reason = next((reason for begin, reason in group.items() if key.startswith(begin)), None)
                if reason:
                    draft.leave(key, reason, changes)
    draft.finish()
    return draft


def flash(draft: Draft) -> None:
    source = draft.source
    for key, target, most in (("Channel", "channels", 256), ("Package", "ways", 256), ("Die", "dies", 64), ("Plane", "planes", 16),
                              ("Block", "blocks", 2**20), ("Page", "pages", 2**16)):
        draft.take(f"pal.{key}", f"nand.{target}", source.count(f"pal.{key}", 1, most))
    draft.take("pal.PageSize", "nand.page_size", size(source.count("pal.PageSize", 512, 2**20)))
    together = source.flag("pal.EnableMultiPlaneOperation") and source.count("pal.Plane") > 1
    draft.take("pal.EnableMultiPlaneOperation", "nand.multi_plane_program", together)
    draft.take("pal.EnableMultiPlaneOperation", "nand.multi_plane_read", together)
    types = source.choice("pal.NANDType", PAGE_TYPES)
    for action, target in (("Read", "nand.read_time"), ("Write", "nand.program_time")):
        keys = [f"pal.{kind}{action}" for kind in types]
        draft.convert(["pal.NANDType", *keys], target, times([source.number(key) / 1e3 for key in keys]), f"the times of {', '.join(types)}, ps")
    for kind in ("CSB", "MSB"):
        if kind not in types:
            for action in ("Read", "Write"):
                if f"pal.{kind}{action}" in source:
                    draft.leave(f"pal.{kind}{action}", "the cells have no such page")
    draft.convert("pal.Erase", "nand.erase_time", some_time(source.number("pal.Erase") / 1e3), "ps")
    draft.take("pal.DMASpeed", "nand.transfer_rate", transfers(source.number("pal.DMASpeed", 1, 4800) * 1e6))
    draft.take("pal.DMAWidth", "nand.bus_width", source.choice("pal.DMAWidth", {"8": 8, "16": 16}))


def ftl(draft: Draft) -> None:
    source = draft.source
    source.choice("ftl.MappingMode", {"0": True})
    draft.take("ftl.MappingMode", "ftl.kind", "page_map")
    draft.assume("ftl.mapping_unit", size(source.count("pal.PageSize")), "maps pages")
    spare = source.number("ftl.OverProvisioningRatio", 0.001, 0.95)
    draft.convert("ftl.OverProvisioningRatio", "ftl.over_provisioning", float(f"{spare / (1 - spare):.6g}"),
                  "r / (1 - r): of raw there, of logical here")
    order = source.order("pal.PageAllocation")
    counts = {"C": source.count("pal.Channel"), "W": source.count("pal.Package"), "D": source.count("pal.Die"), "P": 1}
    members = 1
    for letter in source.text("pal.SuperblockSize").upper():
        if letter not in counts:
            source.fail("pal.SuperblockSize", f'"{letter}" is none of C, W, D, P')
        members *= counts[letter]
    blocks = source.count("pal.Block") * (1 if draft.keys["nand.multi_plane_program"][0] else source.count("pal.Plane"))
    if members > 1:
        draft.convert("pal.SuperblockSize", "ftl.gc_unit", "superblock", "blocks of one number")
        draft.convert("pal.SuperblockSize", "ftl.superblock_dies", members, "dies of these letters; consecutive ones here")
        draft.convert("pal.SuperblockSize", "ftl.placement", {"name": "superblock", "dies": members}, "filled in stripes")
        draft.leave("pal.PageAllocation", "of blocks that are not filled in stripes", order != "CWDP")
    else:
        draft.take("pal.SuperblockSize", "ftl.gc_unit", "block")
        draft.take("pal.PageAllocation", "ftl.placement", {"name": "static_order", "order": order})
    collection(draft, blocks, spare)
    if "ftl.EraseThreshold" in source:
        draft.take("ftl.EraseThreshold", "nand.endurance", source.count("ftl.EraseThreshold", 0, 10**9))
    fill = next((key for key in ("ftl.FillRatio", "ftl.Warmup") if key in source), None)
    if fill:
        draft.take(fill, "precondition.fill", source.number(fill, 0, 1))
    if "ftl.InvalidPageRatio" in source:
        draft.leave("ftl.InvalidPageRatio", "pages overwritten beforehand; precondition.steady", source.number("ftl.InvalidPageRatio", 0) > 0)


def collection(draft: Draft, blocks: int, spare: float) -> None:
    source = draft.source
    policies = {"0": "greedy", "1": "cost_benefit", "2": "random", "3": {"name": "d_choices", "d": max(source.count("ftl.DChoiceParam", 1, 4096), 1)}}
    draft.take("ftl.EvictPolicy", "ftl.garbage_collection", source.choice("ftl.EvictPolicy", policies))
    if "ftl.DChoiceParam" in source:
        if source.text("ftl.EvictPolicy") == "3":
            draft.take("ftl.DChoiceParam", "ftl.garbage_collection", draft.keys["ftl.garbage_collection"][0])
        else:
            draft.leave("ftl.DChoiceParam", "of EvictPolicy 3")
    start = max(int(source.number("ftl.GCThreshold", 0, 1) * blocks), 2)
    until = source.choice("ftl.GCMode", {"0": False, "1": True})
    wanted = max(int(source.number("ftl.GCReclaimThreshold", 0, 1) * blocks), start + 1) if until else start + 1
    high = room_for_gc(wanted, blocks, 1 - spare)
    draft.convert("ftl.GCThreshold", "ftl.gc_low", min(start, high - 1),
                  "ratio x blocks of a die" + ("; more has no room in the over-provisioning" if start >= high else ""), start >= high)
    used, unused = ("ftl.GCReclaimThreshold", "ftl.GCReclaimBlocks") if until else ("ftl.GCReclaimBlocks", "ftl.GCReclaimThreshold")
    draft.convert(["ftl.GCMode", used], "ftl.gc_high", high, "ratio x blocks of a die" if until else "gc_low + 1: victim by victim")
    if unused in source:
        draft.leave(unused, "of the other GCMode")


def cache(draft: Draft) -> None:
    source = draft.source
    buffer = source.count("icl.CacheSize", 1, 2**40)
    reads, writes = source.flag("icl.EnableReadCache"), source.flag("icl.EnableWriteCache")
    draft.take("icl.CacheSize", "buffer.size", size(buffer))
    draft.take("icl.EnableWriteCache", "buffer.mode", "write_back" if writes else "write_through")
    draft.take("icl.EnableReadCache", "buffer.read_cache", 1.0 if reads else 0.0)
    policy = source.choice("icl.EvictPolicy", {"0": "random", "1": "fifo", "2": "lru"})
    draft.convert("icl.EvictPolicy", "buffer.replacement", "clock" if policy == "random" else policy,
                  "CLOCK, in place of chance" if policy == "random" else "", policy == "random")
    ahead = source.flag("icl.EnableReadPrefetch") and reads
    pages = source.count("pal.Channel") * source.count("pal.Package") * source.count("pal.Die") * source.count("pal.Plane")
    if ahead:
        draft.convert("icl.EnableReadPrefetch", "buffer.read_ahead", size(min(pages * source.count("pal.PageSize"), 2**30, buffer // 2)),
                      "a page of each plane")
    else:
        draft.leave("icl.EnableReadPrefetch", "needs a read cache" if source.flag("icl.EnableReadPrefetch") else "none")
    for key in ("icl.ReadPrefetchMode", "icl.ReadPrefetchRatio"):
        if key in source:
            draft.leave(key, "a page of each plane" if ahead else "no read-ahead", ahead)
    dram(draft, buffer + pages * source.count("pal.Block") * source.count("pal.Page") * 8)


def dram(draft: Draft, needed: int) -> None:
    source = draft.source
    old = "dram.DRAMtCK" in source or "dram.DRAMBusWidth" in source
    prefix = "dram.DRAM" if old else "dram."
    clock = source.number(f"{prefix}tCK", 1) if f"{prefix}tCK" in source else 1250.0
    keys = [key for key in (f"{prefix}Channel", f"{prefix}BusWidth", "dram.Chip", f"{prefix}tCK") if key in source]
    width = source.count(f"{prefix}BusWidth", 1, 4096) * (source.count("dram.Chip",
                                                                       1) if "dram.Chip" in source else 1) * (source.count(f"{prefix}Channel",
                                                                               1) if f"{prefix}Channel" in source else 1)
    draft.convert(keys, "dram.bandwidth", rate(width / 8 * 2e12 / clock), f"width / 8 x 2 / tCK of {clock:g} ps")
    delays = [f"{prefix}{name}" for name in ("tRCD", "tCL", "tRP")]
    total = sum(source.number(key) if key in source else 13750.0 for key in delays) / 1e3
    given = [key for key in delays if key in source]
    for target in ("dram.read_latency", "dram.write_latency"):
        if given:
            draft.convert(given, target, time(total), "tRCD + tCL + tRP, ps")
        else:
            draft.assume(target, time(total), "tRCD + tCL + tRP = 3 x 13.75 ns, its default")
    chips = [key for key in ("dram.ChipSize", "dram.Rank") if key in source]
    if chips:
        there = source.count("dram.ChipSize", 1) * (source.count("dram.Rank", 1) if "dram.Rank" in source else 1)
        draft.convert(chips, "dram.size", size(max(there, 1 << needed.bit_length())),
                      "chip x rank" + ("" if there >= needed else ", and room for buffer and map"))
    else:
        draft.assume("dram.size", size(1 << needed.bit_length()), "room for buffer and map")


def host(draft: Draft) -> None:
    source = draft.source
    if "nvme.PCIEGeneration" in source:
        draft.convert("nvme.PCIEGeneration", "link.generation", source.choice("nvme.PCIEGeneration", {"0": 1, "1": 2, "2": 3, "3": 4}), "+ 1")
        draft.take("nvme.PCIELane", "link.lanes", source.choice("nvme.PCIELane", {str(lanes): lanes for lanes in LANES}))
    else:
        draft.assume("link.generation", 3, "no key before 2.0.3; its code has PCIe 3.0")
    draft.take("nvme.LBASize", "host_interface.sector_size", size(source.choice("nvme.LBASize", {"512": 512, "4096": 4096})))
    if not any(key.startswith("cpu.") for key in source.given):
        draft.assume("cpu.model", "ideal", "no section [cpu]")
        return
    draft.take("cpu.ClockSpeed", "cpu.clock", f"{source.count('cpu.ClockSpeed', 10**6, 10**10)} Hz")
    hil, icl, ftl_cores = (source.count(f"cpu.{name}CoreCount", 0, 16) for name in ("HIL", "ICL", "FTL"))
    keys = ["cpu.HILCoreCount", "cpu.ICLCoreCount", "cpu.FTLCoreCount"]
    first, second = max(hil + icl, 1), max(ftl_cores, 1)
    draft.convert(keys, "cpu.cores", first + second, "all of them")
    draft.convert(keys[:2], "cpu.host_cores", list(range(first)), "HIL and ICL")
    draft.convert(keys[2:], "cpu.ftl_cores", list(range(first, first + second)), "FTL", True)
    draft.convert(keys[2:], "cpu.flash_cores", list(range(first, first + second)), "and flash; cycles are this program's", True)
