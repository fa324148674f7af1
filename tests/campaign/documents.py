"""Workloads in files: fio jobs and traces, under names that a user's folder may hold."""
import dataclasses
import shlex

# Names are bytes: this one is no UTF-8 (EUC-KR), others need quoting somewhere. None has a comma, which ends the name of a trace.
NAMES = ("w", "w", "w", "a b", "ü", "%s%n", "it's", "\udcbc\udcbc\udcb7\udcce", '"q"')
PATTERNS = ("read", "write", "randread", "randwrite", "rw", "randrw", "randrw", "trim", "randtrim", "trimwrite")
IN_ZONE_PATTERNS = tuple(pattern for pattern in PATTERNS if "trim" not in pattern)
# What a fio job may say beside its pattern. `flashloom list fio_option` has names, but no values.
OPTIONS = {"bs": ("4k", "16k", "512", "8k,16k"), "iodepth": ("1", "2", "4", "64", "256"), "ioengine": ("libaio", "psync", "io_uring"),
           "size": ("100%", "50%", "1m", "1%"), "offset": ("0", "25%", "64k"), "loops": ("1", "2", "3"), "rate": ("1m", "100m"),
           "rate_iops": ("1000", "100000"), "rate_process": ("poisson",), "thinktime": ("100",), "thinktime_blocks": ("7",), "startdelay": ("1ms", "0"),
           "stonewall": ("1",), "fsync": ("1", "5"), "fdatasync": ("3",), "sync": ("dsync",), "norandommap": ("1",), "rwmixread": ("0", "70", "100"),
           "bsrange": ("4k-64k",), "runtime": ("5ms",), "time_based": ("1",), "ramp_time": ("1ms",), "ramp_size": ("64k",), "write_mode": ("zeroes",),
           "rate_ignore_thinktime": ("1",), "numjobs": ("1", "2"), "percentage_random": ("50",),
           "random_distribution": ("zipf:1.1", "pareto:0.9", "normal:30"), "bssplit": ("4k/60:64k/40",), "io_size": ("1m",), "group_reporting": ("1",),
           "rw_sequencer": ("identical",), "nrfiles": ("2",), "io_submit_mode": ("offload",), "randrepeat": ("0",), "number_ios": ("1", "50", "300")}
IN_ZONES = {"zonemode": ("zbd", "zbd", "zbd", "strided", "none"), "zonesize": ("1m", "256k"), "max_open_zones": ("0", "1", "3"), "job_max_open_zones": ("2",),
            "zone_reset_frequency": ("0.3",), "zone_reset_threshold": ("0.2", "0.9"), "read_beyond_wp": ("1",), "zoneskip": ("1m",), "zonecapacity": ("512k",),
            "write_mode": ("zone_append",)}


@dataclasses.dataclass(frozen=True)
class Document:
    """A file, and the option that names it."""
    option: str
    name: str
    lines: tuple[str, ...]

    def words(self):
        return [self.option, self.name] + (["--address-fit", "wrap"] if self.option == "--trace" else [])

    def write(self, folder):
        (folder / self.name).write_text("".join(line + "\n" for line in self.lines), encoding="utf-8")

    def command(self):
        return f"printf '%s\\n' {' '.join(shell(line) for line in self.lines)} > {shell(self.name)}"

    def without(self, first, count):
        return dataclasses.replace(self, lines=self.lines[:first] + self.lines[first + count:])


def shell(word):
    """The word as bash reads it, whatever bytes it has."""
    if word.isprintable() and word.isascii():
        return shlex.quote(word)
    raw = word.encode("utf-8", "surrogateescape")
    return "$'" + "".join(chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in raw) + "'"


def job(rng, zoned):
    """One to three fio jobs."""
    lines = []
    for number in range(rng.choice((1, 1, 2, 3))):
        given = {"rw": rng.choice(PATTERNS), "ioengine": "libaio", "iodepth": rng.choice(OPTIONS["iodepth"]), "bs": rng.choice(("4k", "16k", "64k")),
                 "size": rng.choice(OPTIONS["size"]), "number_ios": rng.choice(("50", "200", "300"))}
        if zoned or rng.random() < 0.15:  # a trim is of a whole zone there
            given["rw"] = rng.choice(IN_ZONE_PATTERNS)
            given |= {"zonemode": "zbd"} | ({} if zoned else {"zonesize": rng.choice(IN_ZONES["zonesize"])})
            given |= {name: rng.choice(IN_ZONES[name]) for name in rng.sample(sorted(IN_ZONES), rng.choice((0, 0, 1, 2)))}
        given |= {name: rng.choice(OPTIONS[name]) for name in rng.sample(sorted(OPTIONS), rng.choice((0, 1, 2, 4)))}
        if "job_max_open_zones" in given:
            given.setdefault("max_open_zones", "3")
        if "time_based" in given:
            given["runtime"] = "5ms"
        lines += [f"[{rng.choice(('j', 'j', 'ä', 'a b'))}{number}]", *(f"{name}={value}" for name, value in given.items())]
    return Document("--job", rng.choice(NAMES) + ".fio", tuple(lines))


def trace(rng):
    """A trace of named columns: bursts, pauses, requests at one time, lengths that are no multiple of a page. Addresses wrap."""
    time, at, lines = 0, 0, []
    kinds = rng.choice((("read",), ("write",), ("read", "write"), ("read", "write", "write", "trim", "flush", "write_zeroes")))
    longest, span = rng.choice((8, 8, 32, 256)), rng.choice((64, 2048, 1 << 20))
    for _ in range(rng.choice((2, 60, 250))):
        time += rng.choice((0, 0, 1, 50, 2000, 100_000)) if rng.random() < 0.98 else 3_000_000
        kind, length = rng.choice(kinds), rng.choice((1, 3, 8, longest))
        at = at + length if rng.random() < 0.4 else rng.randrange(span)
        lines.append(f"{time},{kind},," if kind == "flush" else f"{time},{kind},{at},{length}")
    return Document("--trace", rng.choice(NAMES) + ".csv", ("time_us,operation,offset_sectors,length_sectors", *lines))
