"""What a run records over time and draws: series, waveform, timeline, figures."""
import bisect
import json
import math
import pathlib
import re
import shutil
import unittest
import xml.etree.ElementTree

import schemas
from io_log import WORDS
from program import CAPTURED, ProgramCase, job, rows

KINDS = ("read", "write", "trim", "flush")
CAUSES = {"host": ("host",), "gc": ("gc",),
          "other": ("map", "wear", "merge", "recovery", "rmw", "scrub", "padding")}
MIXED = job(rw="randrw", rwmixread=60, bs="4k", iodepth=16, size="100%", io_size="24m")
FULL = ("precondition.fill=1.0",)
PICTURES = ("--plots", "--vcd", "--timeline", "--power")


def read_vcd(path):
    """(signals, end): [(time, value), ...] by full name, values as text; ASCII vectors as words."""
    scope, names, ascii_ids, signals, time, last = [], {}, set(), {}, 0, -1
    body = False
    for line in pathlib.Path(path).read_text().splitlines():
        words = line.split()
        if not body:
            if words[0] == "$scope":
                scope.append(words[2])
            elif words[0] == "$upscope":
                scope.pop()
            elif words[0] == "$var":
                names[words[3]] = ".".join(scope + [words[4]])
                if words[1] == "reg":
                    ascii_ids.add(words[3])
            body = words[0] == "$enddefinitions"
        elif words[0][0] == "#":
            time = int(words[0][1:])
            assert time > last, "time runs backwards"
            last = time
        elif words[0][0] == "b":
            value, name = words[0][1:], words[1]
            if value not in "xz" and name in ascii_ids:
                value = int(value, 2).to_bytes(8, "big").lstrip(b"\0").decode()
            elif value not in "xz":
                value = int(value, 2)
            signals.setdefault(names[name], []).append((time, value))
        elif words[0][0] != "$":
            signals.setdefault(names[words[0][1:]], []).append((time, words[0][0]))
    return signals, last


def time_with(changes, end, wanted):
    """Time during which a signal had one of the wanted values."""
    ends = [at for at, _ in changes[1:]] + [end]
    return sum(to - at for (at, value), to in zip(changes, ends) if value in wanted)


SVG = "{http://www.w3.org/2000/svg}"
LETTER = (0.62, 1.0)  # width and height of a letter, of its size


def boxes_of(drawing):
    """The texts of gnuplot's SVG with their boxes: [(text, left, top, right, bottom), ...]."""
    found = []
    for group in xml.etree.ElementTree.parse(drawing).iter(f"{SVG}g"):
        text = group.find(f"{SVG}text")
        at = re.match(r"translate\(([-\d.]+),([-\d.]+)\)(?: rotate\(([-\d.]+)\))?", group.get("transform", ""))
        if text is None or not at:
            continue
        said = "".join(text.itertext()).strip()
        size = float(group.get("font-size"))
        width, height = LETTER[0] * size * len(said), LETTER[1] * size
        left = {"start": 0, "middle": -width / 2, "end": -width}[group.get("text-anchor")]
        angle = math.radians(float(at[3] or 0))
        corners = [(x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle))
                   for x in (left, left + width) for y in (-0.75 * height, 0.25 * height)]
        xs, ys = [float(at[1]) + x for x, _ in corners], [float(at[2]) + y for _, y in corners]
        found.append((said, min(xs), min(ys), max(xs), max(ys)))
    return found


class Pictures(ProgramCase):
    def check_series(self, out):
        result = json.loads((out / "result.json").read_text())
        series = rows(out / "series.csv")
        self.assertLessEqual(len(series), 256)

        def total(column):
            return sum(int(row[column]) for row in series)

        for kind in KINDS:
            self.assertEqual(total(f"{kind}_ios"), result["host"][kind]["ios"], kind)
            self.assertEqual(total(f"{kind}_bytes"), result["host"][kind]["bytes"], kind)
            longest = max((float(row[f"{kind}_latency_max_ns"] or 0) for row in series), default=0)
            self.assertEqual(longest, result["host"][kind]["latency_ns"]["max"], kind)
        for operation in ("reads", "programs", "erases"):
            for cause, origins in CAUSES.items():
                counts = [result["flash"][operation][origin] for origin in origins]
                pages = sum(count if operation == "erases" else count["pages"] for count in counts)
                self.assertEqual(total(f"flash_{operation}_{cause}"), pages, (operation, cause))
        self.assertEqual(total("gc_units_moved"), result["flash"]["programs"]["gc"]["units"])
        seconds = sum(float(row["duration_s"]) for row in series)
        self.assertAlmostEqual(seconds, result["simulated_s"], delta=1e-11)
        joules = sum(float(row["duration_s"]) * float(row["power_w"]) for row in series)
        self.assertAlmostEqual(joules, result["energy"]["total_j"], delta=1e-9 * joules)
        begin = 0
        for row in series:
            self.assertAlmostEqual(float(row["time_s"]), begin, delta=1e-11)
            begin += float(row["duration_s"])
        return result, series

    def check_timeline(self, timeline, result):
        tracks, flows, lanes = {}, {}, 0
        last = 0
        for event in timeline["traceEvents"]:
            if event["ph"] == "M":
                continue
            begin = round(event["ts"] * 1000)
            self.assertGreaterEqual(begin, last)
            last = begin
            if event["ph"] == "X":
                end = begin + round(event["dur"] * 1000)
                self.assertLessEqual(end, result["simulated_s"] * 1e9 + 1)
                track = tracks.setdefault((event["pid"], event["tid"]), {"open": [], "slices": []})
                stack = track["open"]
                while stack and stack[-1] <= begin:
                    stack.pop()
                self.assertTrue(not stack or end <= stack[-1], f"{event} overlaps what it begins in")
                if event["pid"] in (2, 3, 4):
                    self.assertFalse(stack, f"{event}: the resource is in use")
                if not stack:
                    track["slices"].append((begin, end))  # the others lie inside of these
                stack.append(end)
                lanes += event["pid"] == 1 and "number" in event["args"]
            else:
                flows.setdefault((event["cat"], event["id"]), []).append((event["ph"], begin, event["pid"], event["tid"]))
        self.assertTrue(flows)
        for name, chain in flows.items():
            phases = "".join(phase for phase, *_ in chain)
            self.assertRegex(phases, "^st*f$", name)
            if name[0] == "request":
                self.assertEqual([pid for _, _, pid, _ in chain], [1, 5], name)
            for _, at, pid, tid in chain:
                slices = tracks[pid, tid]["slices"]
                around = bisect.bisect_right(slices, at, key=lambda one: one[0]) - 1
                self.assertTrue(around >= 0 and (at <= slices[around][1] or around and at <= slices[around - 1][1]), f"{name} hangs in the air")
        return lanes, flows, tracks

    def test_series_sums_to_the_totals(self):
        trims = job(rw="randtrim", bs="16k", iodepth=4, size="100%", io_size="4m")
        for arguments in ((self.file("mixed.fio", MIXED), FULL), (self.file("trim.fio", trims), FULL),
                          (self.file("cut.fio", MIXED), FULL + ("power.cut_at=150 ms", "power.off_time=5 ms"))):
            with self.subTest(sets=arguments[1], job=arguments[0].name):
                self.check_series(self.simulate("tiny", "--job", arguments[0], sets=arguments[1]))

    def test_series_of_a_trace(self):
        trace = CAPTURED / "postgres_async.iolog.xz"
        out = self.simulate("cosmos-openssd", "--trace", trace, "--address-fit", "wrap", "--max-requests", 4000,
                            sets=("host.replay=closed", "host.iodepth=8"))
        _, series = self.check_series(out)
        self.assertGreaterEqual(len(series), 128)

    def test_observers_change_nothing(self):
        work = self.file("mixed.fio", MIXED)
        for sets in (FULL, FULL + ("power.cut_at=150 ms", "verify=true"), ("buffer.mode=write_through", "cpu.model=ideal")):
            with self.subTest(sets=sets):
                plain = self.simulate("tiny", "--job", work, sets=sets)
                drawn = self.simulate("tiny", "--job", work, *PICTURES, sets=sets)
                for name in ("result.json", "series.csv", "latency_cdf.csv", "wear.csv"):
                    self.assertEqual((plain / name).read_bytes(), (drawn / name).read_bytes(), name)
                costs = [json.loads((out / "run.json").read_text())["kernel_deltas"] for out in (plain, drawn)]
                self.assertEqual(*costs)

    def test_waveform_agrees_with_the_utilization(self):
        for sets in (FULL, FULL + ("power.cut_at=150 ms", "power.off_time=5 ms")):
            out = self.simulate("tiny", "--job", self.file("mixed.fio", MIXED), "--vcd", sets=sets)
            result = json.loads((out / "result.json").read_text())
            signals, end = read_vcd(out / "waveform.vcd")
            ps = round(result["simulated_s"] * 1e12)
            self.assertEqual(end, ps)
            for number, channel in enumerate(result["utilization"]["channels"]):
                bus = signals[f"flashloom.channel{number}.bus"]
                self.assertAlmostEqual(time_with(bus, end, ("cmd",)) / ps, channel["command"], delta=1e-9)
                self.assertAlmostEqual(time_with(bus, end, ("data_in", "data_out")) / ps, channel["data"], delta=1e-9)
                owner = signals[f"flashloom.channel{number}.owner"]
                self.assertEqual(time_with(owner, end, ("z",)), time_with(bus, end, ("idle",)))
            dies = {re.sub(r".*\.die(\d+)\..*", r"\1", name) for name in signals if ".die" in name}
            self.assertEqual(len(dies), len(result["utilization"]["dies"]))
            for name, changes in signals.items():
                if name.endswith(".rb_n"):
                    die = result["utilization"]["dies"][int(re.search(r"die(\d+)", name)[1])]
                    busy = die["read"] + die["program"] + die["erase"]
                    self.assertAlmostEqual(time_with(changes, end, ("0",)) / ps, busy, delta=1e-9)
            self.assertTrue((out / "waveform.gtkw").read_text().count("rb_n") == len(dies))

    def test_two_outputs_in_one_file_are_refused(self):
        done = self.start("run", "tiny", "--generate", "mix:requests=10", "--vcd", "same", "--timeline", "same")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--timeline: 'same' is the file of --vcd already", done.stderr)

    def test_of_nothing_there_is_no_figure(self):
        work = self.file("ramp.fio", job(rw="randwrite", bs="4k", size="1m", ramp_time="10s"))
        out = self.simulate("tiny", "--job", work, "--plots")
        self.assertEqual(json.loads((out / "result.json").read_text())["host"]["write"]["ios"], 0)
        self.assertEqual(list((out / "plots").glob("*.png")), [])

    def test_waveform_limit_and_window(self):
        work = self.file("mixed.fio", MIXED)
        done = self.start("run", "tiny", "--job", work, "--vcd", "small.vcd", "--vcd-limit", "64 KiB")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"waveform small\.vcd ends at [\d.]+ us: --vcd-limit reached")
        self.assertLessEqual((self.scratch / "small.vcd").stat().st_size, 64 << 10)
        _, end = read_vcd(self.scratch / "small.vcd")
        self.assertIn(f"ends at {end / 1e6:.10g}".rstrip("0"), done.stdout)
        done = self.start("run", "tiny", "--job", work, "--vcd", "part.vcd", "--vcd-window", "2 ms,3 ms", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        signals, end = read_vcd(self.scratch / "part.vcd")
        self.assertEqual(end, 3_000_000_000)
        self.assertTrue(all(changes[0][0] == 2_000_000_000 for changes in signals.values()))

    def test_timeline_is_sound(self):
        work = self.file("mixed.fio", MIXED)
        for sets in (FULL, FULL + ("power.cut_at=150 ms",)):
            out = self.simulate("tiny", "--job", work, "--timeline", "--timeline-limit", 10_000_000, sets=sets)
            timeline = json.loads((out / "timeline.json").read_text())
            result = json.loads((out / "result.json").read_text())
            requests, flows, tracks = self.check_timeline(timeline, result)
            self.assertEqual(requests, result["host"]["completions"])
            self.assertTrue({"request", "collection"} <= {name for name, _ in flows})
            self.assertEqual({pid for pid, _ in tracks}, {1, 2, 3, 4, 5})
            # Every host read of flash is linked to its request, so there are at least as many arrows as read commands.
            self.assertGreaterEqual(sum(name == "request" for name, _ in flows),
                                    result["flash"]["reads"]["host"]["pages"])

    def test_timeline_matches_its_schema(self):
        out = self.simulate("tiny", "--job", self.file("mixed.fio", MIXED), "--timeline", "--timeline-limit", 3000, sets=FULL)
        schemas.check(json.loads((out / "timeline.json").read_text()), "timeline")

    def test_timeline_limit_and_window(self):
        work = self.file("mixed.fio", MIXED)
        done = self.start("run", "tiny", "--job", work, "--timeline", "t.json", "--timeline-limit", 1000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"timeline t\.json ends at [\d.]+ us: --timeline-limit reached")
        events = [e for e in json.loads((self.scratch / "t.json").read_text())["traceEvents"] if e["ph"] != "M"]
        self.assertLessEqual(len(events), 1000)
        self.assertGreater(len(events), 300)
        done = self.start("run", "tiny", "--job", work, "--timeline", "w.json", "--timeline-window", "20 ms,21ms", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = [e for e in json.loads((self.scratch / "w.json").read_text())["traceEvents"] if e["ph"] == "X"]
        self.assertTrue(events)
        for event in events:
            self.assertLess(event["ts"], 21_000)
            self.assertGreaterEqual(event["ts"] + event["dur"], 20_000)

    def test_pages_of_a_small_device(self):
        """Writes units 0 to 9, then 0 to 3 again, which invalidates four pages. A larger device gets no such figure."""
        trace = self.file("t.iolog", "fio version 2 iolog\nd add\nd open\nd write 0 40960\nd sync 0 0\nd write 0 16384\nd sync 0 0\n")
        small = ["nand.channels=2", "nand.ways=1", "nand.blocks=16", "nand.pages=4", "ftl.over_provisioning=1.5",
                 "buffer.size=64KiB", "host.replay=closed", "host.iodepth=1"]
        for sets, shown in ((small, True), (["host.replay=closed"], False)):
            out = self.scratch / f"out{shown}"
            done = self.start("run", "tiny", "--trace", trace, "--out", out, "--plots", "--quiet",
                              *[word for each in sets for word in ("--set", each)])
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in ("pages.csv", "pages.png", "pages.svg"):
                self.assertEqual((out / "plots" / name).exists(), shown)
        rows = [line.split(",") for line in (self.scratch / "outTrue/plots/pages.csv").read_text().splitlines()[1:]]
        self.assertEqual(sorted(int(row[4]) for row in rows if row[5] == "1"), list(range(10)))
        self.assertEqual(sorted(int(row[4]) for row in rows if row[5] == "0"), list(range(4)))

    def test_occupancy_rows_do_not_overlap(self):
        out = self.simulate("tiny", "--job", self.file("mixed.fio", MIXED), "--plots", sets=FULL)
        last = {}
        states = set()
        for row in rows(out / "plots/occupancy.csv"):
            if not row["state"]:
                continue
            states.add(row["state"])
            begin, end = float(row["begin_us"]), float(row["end_us"])
            self.assertGreaterEqual(begin, last.get(row["row"], 0) - 1e-6)
            self.assertGreater(end, begin - 1e-9)
            last[row["row"]] = end
        self.assertEqual(len(last), 6)  # two channels, four dies
        self.assertTrue({"program", "transfer", "data in"} <= states)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_figures(self):
        work = self.file("mixed.fio", MIXED)
        out = self.simulate("tiny", "--job", work, "--plots", sets=FULL)
        figures = ["latency", "throughput", "power", "occupancy", "shares", "gc", "wear"]
        if (out / "breakdown.csv").exists():
            figures.append("breakdown")
        self.assertEqual(sorted(path.stem for path in (out / "plots").glob("*.png")), sorted(figures))
        for name in figures:
            self.assertEqual((out / f"plots/{name}.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            xml.etree.ElementTree.parse(out / f"plots/{name}.svg")
        self.assertFalse(list((out / "plots").glob("*.log")))

    def check_stacks(self, table):
        """Rows of a table of power by kind: the kinds add up to the device's power; the current is at 3.3 V."""
        kinds = [column for column in table[0] if column.endswith("_w") and column != "power_w"]
        self.assertTrue({"nand_w", "channel_w", "cpu_w", "dram_w", "link_w"} <= set(kinds))
        for row in table:
            watts = float(row["power_w"])
            self.assertAlmostEqual(sum(float(row[kind]) for kind in kinds), watts, delta=1e-9 * watts + 1e-12)
            self.assertAlmostEqual(float(row["current_a"]) * 3.3, watts, delta=1e-9 * watts)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_power_by_kind(self):
        """Stacks add up to power.csv in each bin, with power cuts and power states, and each kind to its ledger."""
        work = self.file("mixed.fio", MIXED)
        slow = self.file("slow.fio", job(rw="randwrite", bs="16k", size="4m", thinktime=20000))
        idle = ('power.states=[{operational=true,max_power="3 W"},'
                '{operational=false,idle_power="1 mW",idle_time="2 ms",entry_latency="1 ms",exit_latency="1 ms"}]',)
        for file, sets in ((work, FULL), (work, FULL + ("power.cut_at=150 ms", "power.off_time=5 ms")), (slow, idle),
                           (slow, ("dram.model=banked", "dram.kind=lpddr4_3200")), (slow, ("dram.bandwidth=0 B/s",))):
            with self.subTest(sets=sets):
                out = self.simulate("tiny", "--job", file, "--plots", "--power", "--power-step", "100 us", sets=sets)
                energy = json.loads((out / "result.json").read_text())["energy"]
                table, watts = rows(out / "power_by_kind.csv"), rows(out / "power.csv")
                self.assertEqual([row["power_w"] for row in table], [row["power_w"] for row in watts])
                self.check_stacks(table)
                for fine in (table, rows(out / "power_trace.csv"), rows(out / "plots/power_by_kind.csv")):
                    self.check_stacks(fine)
                    for kind in {one["kind"] for one in energy["components"]}:
                        joules = sum(float(row[f"{kind}_w"]) * float(row["duration_s"]) for row in fine)
                        ledger = sum(one["j"] for one in energy["components"] if one["kind"] == kind)
                        self.assertAlmostEqual(joules, ledger, delta=1e-9 * energy["total_j"], msg=kind)

    def test_power_trace(self):
        work = self.file("mixed.fio", MIXED)
        done = self.start("run", "tiny", "--job", work, "--power", "part.csv", "--power-window", "2 ms,2100 us",
                          "--set", "power.supply_voltage=12 V")
        self.assertEqual(done.returncode, 0, done.stderr)
        part = rows(self.scratch / "part.csv")
        self.assertEqual([float(row["time_s"]) for row in part], [(2000 + i) / 1e6 for i in range(100)])
        for row in part:
            self.assertAlmostEqual(float(row["current_a"]) * 12, float(row["power_w"]), places=9)
        done = self.start("run", "tiny", "--job", work, "--power", "cut.csv", "--power-limit", 50)
        self.assertRegex(done.stdout, r"power cut\.csv ends at 50 us: --power-limit reached")
        self.assertEqual(len(rows(self.scratch / "cut.csv")), 50)
        done = self.start("run", "tiny", "--job", work, "--power", "late.csv", "--power-window", "1 h,1.0001 h",
                          "--power-step", "10 ms")
        self.assertEqual((done.returncode, rows(self.scratch / "late.csv")), (0, []))

    def test_the_last_bin_is_no_false_peak(self):
        """Regression: a DRAM takes the data of writes after the run is over, which once showed as 311 W in a last bin
        of 1 us."""
        work = self.file("short.fio", job(rw="randwrite", bs="1m", iodepth=64, size="100%", runtime="20us", time_based=1))
        out = self.simulate("nvme-tlc-1tb", "--job", work)
        watts = [float(row["power_w"]) for row in rows(out / "power.csv")]
        energy = json.loads((out / "result.json").read_text())["energy"]
        self.assertLess(max(watts), 10)
        self.assertLessEqual(energy["average_w"], energy["peak_w"] * 1.01)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_every_origin_of_programs_is_drawn(self):
        """FAST merges and has no GC; the legend omits latency parts that no request has."""
        work = self.file("mixed.fio", MIXED)
        out = self.simulate("tiny", "--job", work, "--plots", sets=(*FULL, "ftl.kind=fast"))
        result = json.loads((out / "result.json").read_text())
        lines = rows(out / "series.csv")
        for origin in ("host", "merge", "gc"):
            pages = sum(float(line[f"{origin}_programs_per_s"]) * float(line["duration_s"]) for line in lines)
            self.assertAlmostEqual(pages, result["flash"]["programs"][origin]["pages"], places=3)
        self.assertNotIn("wear_programs_per_s", lines[0])
        drawn = {name: "".join(xml.etree.ElementTree.parse(out / f"plots/{name}.svg").getroot().itertext()) for name in ("gc", "breakdown")}
        texts = {name: [words for words, *_ in boxes_of(out / f"plots/{name}.svg")] for name in ("gc", "breakdown")}
        self.assertIn("Page programs by origin", drawn["gc"])
        for text, there in (("host data", True), ("merges", True), ("GC copies", False)):
            self.assertEqual(text in drawn["gc"], there, text)
        for part, time in result["host"]["write"]["latency_breakdown_ns"]["mean"].items():
            used = time + result["host"]["read"]["latency_breakdown_ns"]["mean"][part] > 0
            self.assertEqual(WORDS[part] in texts["breakdown"], used, part)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_texts_of_figures_do_not_overlap(self):
        """Many bars and rows, and long words: every text has its place, within the drawing."""
        work = self.file("all.fio", MIXED + job("trims", rw="randtrim", bs="16k", iodepth=2, size="100%", io_size="1m"))
        out = self.simulate("tiny", "--job", work, "--plots", "--power", sets=(*FULL, "nand.ways=5"))
        for drawing in sorted((out / "plots").glob("*.svg")):
            texts = boxes_of(drawing)
            self.assertGreater(len(texts), 5, drawing.name)
            self.assertEqual([words for words, *_ in texts if "_" in words], [], drawing.name)
            width = float(xml.etree.ElementTree.parse(drawing).getroot().get("width"))
            self.assertEqual([box for box in texts if box[1] < -2 or box[3] > width + 2], [], drawing.name)
            over = [(one[0], other[0]) for i, one in enumerate(texts) for other in texts[:i]
                    if one[1] < other[3] - 1 and other[1] < one[3] - 1 and one[2] < other[4] - 1 and other[2] < one[4] - 1]
            self.assertEqual(over, [], drawing.name)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_the_name_of_a_folder_is_no_command(self):
        work = self.file("one.fio", job(rw="randread", bs="4k", size="64k"))
        for name in ("a`touch pwned`b", "< touch pwned;", "|touch pwned;", 'a"; system "touch pwned', "it's @x %s \\ ^{b}"):
            with self.subTest(name=name):
                done = self.start("run", "tiny", "--job", work, "--plots", "--quiet", "--out", name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertFalse((self.scratch / "pwned").exists())
                self.assertTrue((self.scratch / name / "plots/latency.svg").exists())
                shutil.rmtree(self.scratch / name)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_figures_of_a_run_of_one_read(self):
        one = self.file("one.fio", job(rw="read", bs="4k", size="4k"))
        folder = self.simulate("tiny", "--job", one, "--plots", "--vcd", "--timeline")
        self.assertIn("</svg>", (folder / "plots/latency.svg").read_text())

    def test_bad_options(self):
        work = self.file("mixed.fio", MIXED)
        for arguments, message in (
                (("--plots",), "--plots: say --out DIR"),
                (("--vcd",), "--vcd: say which file, or --out DIR"),
                (("--timeline",), "--timeline: say which file, or --out DIR"),
                (("--power",), "--power: say which file, or --out DIR"),
                (("--power-step", "1 us"), "--power-step: there is no --power"),
                (("--power", "p.csv", "--power-step", "1"), "--power-step"),
                (("--power", "p.csv", "--power-step", "0 s"), "valid: 1 ns .. 1 s"),
                (("--power", "p.csv", "--power-limit", "10000001"), "valid: 1 .. 10000000"),
                (("--power", "p.csv", "--power-window", "1 ms,1 s"),
                 '"1 ms,1 s" has 999000 steps of --power-step; valid: up to --power-limit, which is 200000'),
                (("--vcd", "p.csv", "--power", "./p.csv"), "--power: './p.csv' is the file of --vcd already"),
                (("--vcd-limit", "1 MiB"), "--vcd-limit: there is no --vcd"),
                (("--timeline-window", "1 ms,2 ms"), "--timeline-window: there is no --timeline"),
                (("--vcd", "a.vcd", "--vcd-window", "2 ms"), "is not FROM,TO"),
                (("--vcd", "a.vcd", "--vcd-window", "2 ms,1 ms"), "ends before it begins"),
                (("--vcd", "a.vcd", "--vcd-window", "2,3"), "--vcd-window"),
                (("--vcd", "a.vcd", "--vcd-limit", "7"), "--vcd-limit"),
                (("--timeline", "a.json", "--timeline-limit", "none"), "--timeline-limit"),
                (("--vcd", "no/such/a.vcd"), "--vcd: cannot write 'no/such/a.vcd'")):
            with self.subTest(arguments=arguments):
                done = self.start("run", "tiny", "--job", work, *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertEqual([path.name for path in self.scratch.iterdir()], ["mixed.fio"])


if __name__ == "__main__":
    unittest.main()
