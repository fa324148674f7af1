"""A model of NVMeVirt's ssd_config.h (snu-csl/nvmevirt; ssd.c, conv_ftl.c, zns_ftl.c) as a device file."""
from ..errors import BadInput
from .c_macros import macros_of
from .draft import Draft, link_of, size, some_time, time, times, transfers
from .source import Source, read_text

MAPPING_UNIT = 4096
NO_EFFECT = {
    "NR_NAMESPACES": "one namespace", "NS_CAPACITY_0": "--capacity", "NS_CAPACITY_1": "--capacity", "NVM_MDTS": "of the namespace left out",
    "MAX_CH_XFER_SIZE": "the link overlaps with the bus by whole reads", "WRITE_UNIT_SIZE": "the host's sectors are what it writes",
    "MAX_ZRWA_ZONES": "no random write area",
    "ZRWAFG_SIZE": "no random write area", "ZRWA_SIZE": "no random write area", "ZRWA_BUFFER_SIZE": "no random write area",
}
OPEN_ZONES = 14  # that have a write buffer at a time: the default of ftl.kind zoned


def read_nvmevirt(path: str, model: str, capacity: int) -> Draft:
    """`capacity` in bytes: memmap_size of the module. Throws BadInput."""
    source = Source(path, macros_of(path, read_text(path), model))
    kinds = [source.count(key) for key in ("NS_SSD_TYPE_0", "NS_SSD_TYPE_1") if key in source]
    kind = next((kind for kind in kinds if kind in (1, 2)), None)
    if kind is None:
        raise BadInput(f"{path}: {model} has no flash: " + ("its times are parameters of the module" if 0 in kinds else "a key-value store"))
    draft = Draft(source, "NVMeVirt")
    for key in ("NS_SSD_TYPE_0", "NS_SSD_TYPE_1"):
        if key in source:
            draft.leave(key, "zones" if kind == 2 else "a drive with an FTL", source.count(key) != kind)
    flash(draft, kind == 2, capacity)
    speeds(draft)
    (zones if kind == 2 else ftl)(draft, capacity)
    for key, reason in NO_EFFECT.items():
        if key in source:
            draft.leave(key, reason)
    draft.finish()
    return draft


def flash(draft: Draft, zoned: bool, capacity: int) -> None:
    source = draft.source
    channels, ways = source.count("NAND_CHANNELS", 1, 256), source.count("LUNS_PER_NAND_CH", 1, 256)
    planes = source.count("PLNS_PER_LUN", 1, 16) if "PLNS_PER_LUN" in source else 1
    page, shot = source.count("FLASH_PAGE_SIZE", 512, 2**20), source.count("ONESHOT_PAGE_SIZE", 512, 2**23)
    if shot % page:
        source.fail("ONESHOT_PAGE_SIZE", f"is no multiple of FLASH_PAGE_SIZE, {page}")
    draft.take("NAND_CHANNELS", "nand.channels", channels)
    draft.take("LUNS_PER_NAND_CH", "nand.ways", ways)
    if "PLNS_PER_LUN" in source:
        draft.take("PLNS_PER_LUN", "nand.planes", planes)
    draft.take("FLASH_PAGE_SIZE", "nand.page_size", size(page))
    draft.convert("ONESHOT_PAGE_SIZE", "nand.pages_per_program", shot // page, "/ FLASH_PAGE_SIZE")
    parts = channels * ways * planes
    if source.count("BLKS_PER_PLN"):
        blocks = source.count("BLKS_PER_PLN", 4, 2**20)
        block = -(-capacity // (blocks * parts))
        draft.take("BLKS_PER_PLN", "nand.blocks", blocks)
        draft.leave("BLK_SIZE", "follows from capacity and blocks")
    else:
        block = source.count("BLK_SIZE", 1)
        blocks = -(-capacity // (block * parts))
        draft.convert("BLK_SIZE", "nand.blocks", blocks + 2 * zoned, "capacity / (block x dies)" + (", and two for metadata" if zoned else ""))
        draft.leave("BLKS_PER_PLN", "follows from capacity and block size")
    # Zones here are of whole programs, none beyond the zone.
    pages = (block // shot if zoned else -(-block // shot)) * (shot // page)
    if pages < 2 * shot // page:
        raise BadInput(f"{source.name}: --capacity: {size(capacity)} makes blocks of one program; valid: more than {size(shot * blocks * parts)}")
    draft.convert("ONESHOT_PAGE_SIZE", "nand.pages", pages, f"blocks of {size(block)} in whole programs")
    kind = source.count("CELL_MODE", 0, 4)
    names = ("LSB", "MSB", "CSB", "CSB")[:max(kind, 1)]
    keys = [f"NAND_4KB_READ_LATENCY_{name}" for name in names]
    draft.convert(["CELL_MODE", *keys], "nand.read_time", times([source.number(key) for key in keys]), f"the times of {', '.join(names)}")
    for name in ("LSB", "MSB", "CSB"):
        short, whole = f"NAND_4KB_READ_LATENCY_{name}", f"NAND_READ_LATENCY_{name}"
        if short in source and short not in keys:
            draft.leave(short, "the cells have no such page")
        if whole in source:
            differs = short in keys and source.number(whole) != source.number(short)
            draft.leave(whole, "of reads above 4 KiB; here all reads take that of 4 KiB", differs)
    draft.take("NAND_PROG_LATENCY", "nand.program_time", some_time(source.number("NAND_PROG_LATENCY")))
    draft.take("NAND_ERASE_LATENCY", "nand.erase_time", some_time(source.number("NAND_ERASE_LATENCY")))
    draft.assume("nand.command_cycle", "1 ps", "the bus moves data alone")


def speeds(draft: Draft) -> None:
    source = draft.source
    bus, extra = source.number("NAND_CHANNEL_BANDWIDTH", 1) * 2**20, source.number("FW_CH_XFER_LATENCY")
    draft.convert(["NAND_CHANNEL_BANDWIDTH", "FW_CH_XFER_LATENCY"], "nand.transfer_rate", transfers(4096 / (4096 / bus + extra * 1e-9)),
                  "4 KiB / (4 KiB / bandwidth + latency), MB of 2^20 B")
    pcie = source.number("PCIE_BANDWIDTH", 1) * 2**20
    link = link_of(pcie, 4, 256, 256)
    draft.convert("PCIE_BANDWIDTH", "link.generation", link.generation, "the link that has it with overhead, MB of 2^20 B")
    draft.convert("PCIE_BANDWIDTH", "link.lanes", link.lanes, "the same")
    draft.convert("PCIE_BANDWIDTH", "link.packet_overhead", f"{link.overhead} B", "the same")
    draft.assume("link.max_payload", "256 B", "packets are not modelled")
    draft.assume("link.latency", "0 s", "in FW_..._LATENCY")
    draft.assume("cpu.model", "ideal", "in FW_..._LATENCY")
    draft.take("FW_4KB_READ_LATENCY", "controller.read_latency", time(source.number("FW_4KB_READ_LATENCY")))
    if "FW_READ_LATENCY" in source:
        draft.leave("FW_READ_LATENCY", "of reads above 4 KiB a partition; here all take that of 4 KiB",
                    source.number("FW_READ_LATENCY") != source.number("FW_4KB_READ_LATENCY"))
    first, each = source.number("FW_WBUF_LATENCY0"), source.number("FW_WBUF_LATENCY1")
    draft.convert(["FW_WBUF_LATENCY0", "FW_WBUF_LATENCY1"], "controller.write_latency", time(first + each), "0 + 1: of 4 KiB", each != 0)
    transfer = "MDTS" if "MDTS" in source else "CONV_MDTS"
    if transfer in source:
        draft.convert(transfer, "nvme.max_transfer", size(4096 << source.count(transfer, 0, 12)), "4 KiB x 2^MDTS")


def buffer(draft: Draft, key: str, bytes_of: int, formula: str = "") -> None:
    if formula:
        draft.convert(key, "buffer.size", size(bytes_of), formula, True)
    else:
        draft.take(key, "buffer.size", size(bytes_of))
    early = draft.source.flag("WRITE_EARLY_COMPLETION")
    draft.take("WRITE_EARLY_COMPLETION", "buffer.mode", "write_back" if early else "write_through")


def ftl(draft: Draft, capacity: int) -> None:
    source = draft.source
    dies = source.count("NAND_CHANNELS") * source.count("LUNS_PER_NAND_CH")
    parts = source.count("SSD_PARTITIONS", 1, 256)
    if dies % parts:
        source.fail("SSD_PARTITIONS", f"does not divide the {dies} dies")
    over = source.number("OP_AREA_PERCENT", 0, 10)
    if over < 0.001:
        draft.convert("OP_AREA_PERCENT", "ftl.over_provisioning", 0.07, "none there, where nothing is collected", True)
    else:
        draft.take("OP_AREA_PERCENT", "ftl.over_provisioning", over)
    draft.assume("ftl.mapping_unit", size(MAPPING_UNIT), "maps 4 KiB")
    draft.convert("SSD_PARTITIONS", "ftl.superblock_dies", dies // parts, "dies / partitions: each has lines, superblocks, of its own")
    draft.assume("ftl.gc_unit", "superblock", "conv_ftl.c collects lines")
    draft.assume("ftl.placement", {"name": "superblock", "dies": dies // parts}, "conv_ftl.c writes line by line")
    draft.assume("ftl.gc_low", 2, "gc_thres_lines")
    draft.assume("ftl.gc_high", 3, "gc_thres_lines + 1: a line at a time")
    draft.assume("ftl.garbage_collection", "greedy", "the line with the fewest valid pages")
    key = "GLOBAL_WB_SIZE" if "GLOBAL_WB_SIZE" in source else "WRITE_BUFFER_SIZE"
    buffer(draft, key, source.count(key, 1, 2**40))
    draft.assume("dram.size", size(1 << (capacity // 512 + source.count(key) + 2**24).bit_length()), "room for buffer and map")


def zones(draft: Draft, capacity: int) -> None:
    source = draft.source
    zone, dies = source.count("ZONE_SIZE", 4096), source.count("DIES_PER_ZONE", 1, 4096)
    block = source.count("BLK_SIZE") if source.count("BLK_SIZE") else zone // dies
    holds = block // source.count("ONESHOT_PAGE_SIZE") * source.count("ONESHOT_PAGE_SIZE") * dies
    draft.convert(["ZONE_SIZE", "DIES_PER_ZONE"], "ftl.kind", {"name": "zoned", "zone_size": size(zone), "zone_capacity": size(holds), "dies": dies},
                  "whole programs of each die", holds != zone)
    draft.assume("ftl.logical_size", size(max(capacity // zone, 1) * zone), "whole zones of the capacity")
    draft.assume("ftl.mapping_unit", size(MAPPING_UNIT), "4 KiB pages")
    draft.assume("host_interface.sector_size", size(MAPPING_UNIT), "zones here are of whole mapping units")
    draft.assume("buffer.replacement", "fifo", "zones are written in order")
    draft.leave("OP_AREA_PERCENT", "the host collects zones")
    if "SSD_PARTITIONS" in source:
        draft.leave("SSD_PARTITIONS", "one")
    each, all_of = (source.count(key) if key in source else 0 for key in ("ZONE_WB_SIZE", "GLOBAL_WB_SIZE"))
    if all_of:
        buffer(draft, "GLOBAL_WB_SIZE", all_of)
    else:
        buffer(draft, "ZONE_WB_SIZE", each * OPEN_ZONES, f"x {OPEN_ZONES}, the zones open at a time")
    for key in ("ZONE_WB_SIZE", "GLOBAL_WB_SIZE"):
        if key in source and key not in draft.rows:
            draft.leave(key, "the other buffer is there")
    draft.assume("dram.size", size(1 << (capacity // 512 + max(all_of, each * OPEN_ZONES) + 2**24).bit_length()), "room for buffer and map")
