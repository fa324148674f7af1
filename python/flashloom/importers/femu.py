"""The options of FEMU's QEMU device (MoatLab/FEMU, hw/femu/docs/reference/properties.md) as a device file: black-box, ZNS, CSD."""
import pathlib
import re

from ..errors import BadInput
from .draft import Draft, Value, link_of, room_for_gc, size, some_time, time, times, transfers
from .source import Given, Source, read_text

DEFAULTS = {
    "femu_mode": "2", "devsz_mb": "1024", "op_pcent": "0", "queues": "8", "entries": "2047", "mdts": "10", "secsz": "512", "secs_per_pg": "8",
    "pgs_per_blk": "256", "blks_per_pl": "256", "pls_per_lun": "1", "luns_per_ch": "8", "nchs": "8", "pg_rd_lat": "40000", "pg_wr_lat": "200000",
    "blk_er_lat": "2000000", "ch_xfer_lat": "0", "pg_xfer_lat": "0", "cmd_addr_lat": "0", "pe_suspend": "0", "tsusp_ns": "0",
    "nand_cell_type": "0", "gc_thres_pcent": "75", "gc_thres_pcent_high": "95", "gc_policy": "greedy", "mapping": "page", "mapping_cache_mb": "0",
    "read_cache_mb": "0", "buffer_size": "0", "pcie_bandwidth_mbps": "0", "pcie_prop_delay_ns": "0", "fw_cpu_ns": "0", "mp_program": "0", "mp_read": "0",
    "zns_num_ch": "2", "zns_num_lun": "4", "zns_num_plane": "2", "zns_num_blk": "32", "zns_flash_type": "4", "zns_pg_rd_lat": "0",
    "zns_pg_wr_lat": "0", "zns_blk_er_lat": "0", "zns_pg_xfer_lat": "0", "zns_max_active": "0", "zns_max_open": "0", "zns_chnls_per_zone": "0",
    "zns_num_wc": "0", "lba_index": "0",
}
# ns of the page types, lower page first, and of an erase (hw/femu/nand/nand.h).
CELLS = {1: ((40000,), (800000,), 2000000), 2: ((48000, 64000), (850000, 2300000), 3000000),
         3: ((56500, 77500, 106000), (820500, 2225000, 5734000), 3000000)}
ZNS_PAGE = 16384  # hw/femu/zns/zns.h
# ns of a page read, a program of all pages of a word line (zns.h) and an erase (nand.h; of QLC assumed) by zns_flash_type.
ZNS_CELLS = {1: (4000, 75000, 2000000), 3: (32000, 937500, 3000000), 4: (85000, 12196000, 3000000)}
NAMES = {
    "femu", "id", "serial", "drive", "bus", "addr", "multipoller_enabled", "poller_ratio", "hiops_inline", "vid", "did", "pel_file", "namespaces",
    "acl", "aerl", "elpe", "debug_ftl", "gc_seed", "max_sqes", "max_cqes", "intc", "intc_thresh", "intc_time", "cqr", "temperature", "nlbaf",
    "oacs", "oncs", "sgl", "vwc", "meta", "mc", "ms", "ms_max", "dlfeat",
}
CSD = {"fdm_size", "nr_cu", "nr_thread", "time_slice", "context_switch_time", "csf_runtime_scale", "csd_program_dir"}


def read_femu(text: str) -> Draft:
    """`text`: the options, a QEMU command line, or the path of a script that has one. Throws BadInput."""
    source = options_of(text)
    draft = Draft(source, "FEMU")
    mode = source.choice("femu_mode", {"0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5})
    if mode in (0, 2, 5):
        source.fail("femu_mode", {0: "0 is OCSSD, whose FTL the host has", 2: "2 (FEMU's default) is NoSSD, which has no flash",
                                  5: "5 is a key-value store"}[mode] + "; valid: 1, 3, 4")
    draft.leave("femu_mode", {1: "black box", 3: "zones", 4: "computational storage as a black box: it computes nothing"}[mode], mode == 4)
    host(draft)
    (zns if mode == 3 else black_box)(draft)
    for key in source.given:
        if key in NAMES or key in CSD or (key.startswith("zns_") != (mode == 3) and key in DEFAULTS and key not in draft.rows):
            draft.leave(key, "of no mode that is imported, or of the host's side")
    draft.finish()
    return draft


def options_of(text: str) -> Source:
    """The first -device femu; NAME=VALUE lines of a script are its variables."""
    name, lines = "femu options", [text]
    if re.fullmatch(r"[^=,\n]+", text) and pathlib.Path(text).is_file():
        name, lines = text, read_text(text).replace("\\\n", " \n").splitlines()
    variables: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        line = line if name == "femu options" else re.split(r"(?:^|\s)#", line, maxsplit=1)[0]
        filled = re.sub(r"\$\{?(\w+)(?::-([^}]*))?\}?", lambda found: variables.get(found[1], found[2] or ""), line)
        assigned = re.fullmatch(r"\s*(?:export\s+)?(\w+)=(.*)", filled)
        if assigned and name != "femu options":
            variables[assigned[1]] = assigned[2].replace('"', "").replace("'", "").strip()
            continue
        found = re.search(r"-device[ =]+[\"']?(femu(?:,[^\s\"']*)?)(?=[\s\"']|$)", filled)
        words = found[1] if found else filled.strip() if name == "femu options" and "-device" not in filled else ""
        if words:
            return Source(name, {key: Given(value, number if name != "femu options" else 0) for key, value in pairs(name, number, words)}, DEFAULTS)
    raise BadInput(f"{name}: has no -device femu")


def pairs(name: str, line: int, words: str) -> list[tuple[str, str]]:
    result = []
    for word in re.split(r"(?<!,),(?!,)", words):
        key, equals, value = word.strip().partition("=")
        if not equals and key not in ("femu", ""):
            raise BadInput(f'{name}:{line}: "{word}" is no KEY=VALUE of -device femu')
        if equals:
            result.append((key, value.replace(",,", ",")))
    return result


def host(draft: Draft) -> None:
    source = draft.source
    draft.take("queues", "host.queues", source.count("queues", 1, 1024))
    draft.convert("entries", "host_interface.queue_depth", min(source.count("entries", 1) + 1, 65536), "+ 1")
    draft.convert("mdts", "nvme.max_transfer", size(4096 << min(source.count("mdts", 0) or 12, 12)), "4 KiB x 2^mdts")
    bandwidth, delay = source.number("pcie_bandwidth_mbps"), source.number("pcie_prop_delay_ns")
    if bandwidth:
        link = link_of(bandwidth * 1e6, 4, 256, 256)
        for target, value in (("generation", link.generation), ("lanes", link.lanes), ("packet_overhead", f"{link.overhead} B")):
            draft.convert("pcie_bandwidth_mbps", f"link.{target}", value, "the link that has it with overhead")
        draft.assume("link.max_payload", "256 B", "packets are not modelled")
        draft.assume("link.latency", "0 s", "pcie_prop_delay_ns")
    else:
        draft.convert("pcie_bandwidth_mbps", "link.kind", "ideal", "0: a link that takes no time")
    firmware = source.number("fw_cpu_ns")
    draft.convert("pcie_prop_delay_ns", "host.complete_latency", time(delay), "once each command")
    if firmware:
        draft.assume("cpu.cores", 1, "one core serves all")
        draft.assume("cpu.clock", "1 GHz", "cycles are ns")
        draft.convert("fw_cpu_ns", "cpu.cycles.command_parse", round(firmware), "ns at 1 GHz")
        for name in ("command_complete", "buffer_lookup", "map_lookup", "map_update", "flash_issue", "flash_complete", "victim_select"):
            draft.assume(f"cpu.cycles.{name}", 0, "fw_cpu_ns is all")
    else:
        draft.convert("fw_cpu_ns", "cpu.model", "ideal", "0: firmware takes no time")


def black_box(draft: Draft) -> None:
    source = draft.source
    for key, target, most in (("nchs", "channels", 256), ("luns_per_ch", "ways", 256), ("pls_per_lun", "planes", 16),
                              ("blks_per_pl", "blocks", 2**20), ("pgs_per_blk", "pages", 2**16)):
        draft.take(key, f"nand.{target}", source.count(key, 1, most))
    page = source.count("secsz", 1) * source.count("secs_per_pg", 1)
    draft.convert(["secsz", "secs_per_pg"], "nand.page_size", size(page), "product")
    draft.assume("ftl.mapping_unit", size(page), "maps pages")
    cell = source.count("nand_cell_type", 0, 255)
    if cell in CELLS:
        reads, programs, erase = CELLS[cell]
        for target, value in (("read_time", times(reads)), ("program_time", times(programs)), ("erase_time", some_time(erase))):
            draft.convert("nand_cell_type", f"nand.{target}", value, "nand.h")
        for key in ("pg_rd_lat", "pg_wr_lat", "blk_er_lat"):
            draft.leave(key, "nand_cell_type has the times")
    else:
        draft.leave("nand_cell_type", "pg_rd_lat and its like; QLC's times differ by version" if cell == 4 else "pg_rd_lat and its like", cell == 4)
        for key, target in (("pg_rd_lat", "read_time"), ("pg_wr_lat", "program_time"), ("blk_er_lat", "erase_time")):
            draft.take(key, f"nand.{target}", some_time(source.number(key)))
    transfer = source.number("pg_xfer_lat") or source.number("ch_xfer_lat")
    draft.convert(["ch_xfer_lat", "pg_xfer_lat"], "nand.transfer_rate", transfers(page / (transfer * 1e-9) if transfer else 4800e6),
                  "page / time" if transfer else "0: the fastest bus here; it takes no time there", not transfer)
    draft.convert("cmd_addr_lat", "nand.command_cycle", some_time(source.number("cmd_addr_lat") / 7), "/ the 7 cycles of a read")
    together = source.count("pls_per_lun") > 1
    draft.take("mp_program", "nand.multi_plane_program", bool(source.count("mp_program")) and together)
    draft.take("mp_read", "nand.multi_plane_read", bool(source.count("mp_read")) and together)
    for target in ("program_suspend", "erase_suspend"):
        draft.take("pe_suspend", f"nand.{target}", bool(source.count("pe_suspend")))
        draft.take("tsusp_ns", f"nand.{target}_time", time(source.number("tsusp_ns")))
    ftl(draft, page)
    buffered = source.count("buffer_size", 0, 2**40) * page
    cached = source.count("read_cache_mb", 0, 2**20) * 2**20
    draft.convert(["buffer_size", "read_cache_mb"], "buffer.size", size(buffered + cached or 64 * page),
                  "pages and MiB; at least 64 pages on their way")
    draft.convert("buffer_size", "buffer.mode", "write_back" if buffered else "write_through", "0: writes end on flash")
    draft.convert("read_cache_mb", "buffer.read_cache", float(f"{cached / (buffered + cached):.6g}") if cached else 0.0, "share of the buffer")
    draft.assume("dram.size", "8 GiB", "holds its data in the host's memory")


def ftl(draft: Draft, page: int) -> None:
    source = draft.source
    lines = source.count("blks_per_pl")
    raw = source.count("nchs") * source.count("luns_per_ch") * source.count("pls_per_lun") * lines * source.count("pgs_per_blk") * page
    percent = source.number("op_pcent", 0, 1000)
    if percent:
        draft.take("op_pcent", "ftl.over_provisioning", percent / 100)
        draft.leave("devsz_mb", "op_pcent has the size")
        logical = 1 / (1 + percent / 100)
    else:
        there = source.count("devsz_mb", 1) * 2**20
        # Its own defaults leave GC no room where the device is as large as the flash.
        fits = raw - raw // lines * 12 if lines > 24 else raw * 3 // 4
        draft.take("devsz_mb", "ftl.logical_size", size(min(there, fits) // page * page))
        if there > fits:
            draft.leave("devsz_mb", f"{size(there)} of {size(raw)} of flash leave GC no room", True)
        logical = min(there, fits) / raw
    kind: dict[str, Value] = {"PAGE": "page_map", "DFTL": {"name": "dftl", "cmt_size": size((source.count("mapping_cache_mb") or 4) * 2**20)},
                              "HYBRID": "log_block", "FAST": "fast"}
    draft.take("mapping", "ftl.kind", source.choice("mapping", kind))
    if source.text("mapping").upper() == "DFTL":
        draft.take("mapping_cache_mb", "ftl.kind", draft.keys["ftl.kind"][0])
    policies = {"GREEDY": "greedy", "RANDOM": "random", "COST-BENEFIT": "cost_benefit", "FIFO": "fifo", "D-CHOICE": {"name": "d_choices", "d": 4}}
    draft.take("gc_policy", "ftl.garbage_collection", source.choice("gc_policy", policies))
    if source.text("mapping").upper() not in ("PAGE", "DFTL"):
        for key in ("gc_thres_pcent", "gc_thres_pcent_high"):
            draft.leave(key, "log blocks are merged")
        return
    draft.assume("ftl.gc_unit", "superblock", "lines: a block of each plane")
    draft.assume("ftl.placement", {"name": "superblock"}, "writes line by line")
    forced = max(int((1 - source.number("gc_thres_pcent_high", 1, 100) / 100) * lines), 1)
    high = room_for_gc(forced + 1, lines, logical)
    draft.convert("gc_thres_pcent_high", "ftl.gc_low", high - 1, f"(1 - p) x {lines} lines", high <= forced)
    draft.convert("gc_thres_pcent_high", "ftl.gc_high", high, "gc_low + 1: a line at a time")
    background = int((1 - source.number("gc_thres_pcent", 1, 100) / 100) * lines)
    most = max(int(lines * (1 - logical)) - 8, high)
    draft.convert("gc_thres_pcent", "ftl.gc_background", max(min(background, most), high),
                  f"(1 - p) x {lines} lines" + ("; more has no room" if background > most else ""), background > most)


def zns(draft: Draft) -> None:
    source = draft.source
    channels, ways, planes, blocks = (source.count(f"zns_num_{name}", 1, most) for name,
                                      most in (("ch", 128), ("lun", 256), ("plane", 8), ("blk", 255)))
    kind = source.count("zns_flash_type", 1, 5)
    width = source.count("zns_chnls_per_zone", 0, channels) or channels
    zones = max(blocks * (channels // width) // planes, 1)
    share = planes * kind * ZNS_PAGE * width * ways  # a program of each die of a zone
    zone = source.count("devsz_mb", 1) * 2**20 // zones
    pages = max(zone // share, 2) * kind
    draft.take("zns_num_ch", "nand.channels", channels)
    draft.take("zns_num_lun", "nand.ways", ways)
    draft.take("zns_num_plane", "nand.planes", planes)
    draft.convert("zns_num_blk", "nand.blocks", max(zones // (channels // width), 1) + 4, "zones, and four blocks for metadata")
    draft.convert("devsz_mb", "nand.pages", pages, f"{zones} zones in blocks of whole programs")
    draft.assume("nand.page_size", size(ZNS_PAGE), "zns.h")
    draft.assume("nand.multi_plane_program", planes > 1, "programs all planes")
    draft.convert("zns_flash_type", "nand.pages_per_program", kind, "bits a cell: one-shot")
    given = [source.number(f"zns_{name}") for name in ("pg_rd_lat", "pg_wr_lat", "blk_er_lat")]
    if kind not in ZNS_CELLS and not all(given):
        source.fail("zns_flash_type", "MLC and PLC need zns_pg_rd_lat, zns_pg_wr_lat and zns_blk_er_lat")
    for name, target, value, built_in in zip(("pg_rd_lat", "pg_wr_lat", "blk_er_lat"), ("read_time", "program_time", "erase_time"), given,
                                             ZNS_CELLS.get(kind, (1, 1, 1))):
        if value:
            draft.take(f"zns_{name}", f"nand.{target}", some_time(value))
        else:
            draft.convert("zns_flash_type", f"nand.{target}", some_time(built_in), "built in (zns.h)")
            draft.leave(f"zns_{name}", "0: built in")
    transfer = source.number("zns_pg_xfer_lat")
    draft.convert("zns_pg_xfer_lat", "nand.transfer_rate", transfers(ZNS_PAGE / (transfer * 1e-9) if transfer else 4800e6),
                  "page / time" if transfer else "0: the fastest bus here", not transfer)
    whole = max(zone // share, 2) * share  # whole programs of each die
    parts: dict[str, int | str | bool] = {"name": "zoned", "zone_size": size(whole), "zone_capacity": size(whole), "dies": width * ways}
    for key, name in (("zns_max_open", "max_open"), ("zns_max_active", "max_active")):
        parts[name] = source.count(key, 0, 100000) or zones
    draft.convert(["zns_num_blk", "zns_chnls_per_zone", "zns_max_open", "zns_max_active"], "ftl.kind", parts, "devsz / zones; 0: no limit")
    draft.convert("devsz_mb", "ftl.logical_size", size(whole * zones), "whole zones")
    for target, value, reason in (("ftl.mapping_unit", "4 KiB", "zns.h"),
                                  ("host_interface.sector_size", "4 KiB", "zones here are of whole mapping units"),
                                  ("buffer.replacement", "fifo", "zones are written in order"),
                                  ("dram.size", "8 GiB", "holds its data in the host's memory")):
        draft.assume(target, value, reason)
    caches = source.count("zns_num_wc", 0, 10000) or source.count("zns_max_open") or 3
    draft.convert("zns_num_wc", "buffer.size", size(2 * caches * share), "write caches of two programs of all dies", True)
    if "lba_index" in source:
        draft.leave("lba_index", "sectors of 4 KiB")
