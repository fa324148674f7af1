"""A real Linux on modelled drives. Skips without a kernel: tools/linux-kernel/build builds one."""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import time
import unittest

import schemas
from program import PROGRAM, ROOT, TIMEOUT_S, ProgramCase

TIMING = ["cpu.model=ideal", "dram.size=0 B", "buffer.size=0 B"]
FIO = "fio --clocksource=clock_gettime --thread --randrepeat=1 --output-format=json --output=/out/fio.json"
UUID = "5f0c4f8e-0000-4000-8000-000000000009"
MKFS = f"mkfs.ext4 -q -F -U {UUID} -E hash_seed={UUID},lazy_itable_init=0"


def kernel():
    """Path of the kernel that the tests boot, or None."""
    given = os.environ.get("FLASHLOOM_LINUX")
    if given:
        return given
    found = subprocess.run([ROOT / "tools/linux-kernel/build", "--print"], capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else None


def why_not():
    """The reason why no guest can boot here; empty if one can."""
    if KERNEL is None:
        return "no Linux kernel that runs here: tools/linux-kernel/build makes one, or says why not"
    tried = subprocess.run(["timeout", "--signal=KILL", "20", KERNEL, "mem=64M", "root=none", "panic=-1", "con=null",
                            "con0=null,fd:1"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    # User-Mode Linux traces its processes with ptrace, which containers may forbid.
    return "" if b"ptrace can change system call numbers...OK" in tried.stdout + tried.stderr else \
        "no User-Mode Linux can run here (ptrace)"


KERNEL = kernel()
WHY_NOT = why_not()


def needs(*programs):
    missing = [name for name in programs if shutil.which(name, path=os.environ["PATH"] + ":/sbin:/usr/sbin") is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


@unittest.skipIf(WHY_NOT, WHY_NOT)
class LinuxCase(ProgramCase):
    def boot(self, script, *arguments, devices=("tiny",), sets=(), code=0, name="script.sh"):
        """Runs a script in a guest; returns the results folder and the output."""
        self.runs += 1
        out = self.scratch / f"out{self.runs}"
        overrides = [word for override in sets for word in ("--set", override)]
        done = self.start("linux", *devices, "--kernel", KERNEL, "--run", self.file(name, script), "--out", out, "--quiet",
                          *overrides, *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return out, done.stdout

    @staticmethod
    def result(out):
        result = json.loads((out / "result.json").read_text())
        schemas.check(result, "result")
        return result


def alike(line, other, tolerance=0.01):
    """Whether two lines agree in text, and in numbers within a relative tolerance."""
    number = re.compile(r"\d+(?:\.\d+)?")
    return number.sub("#", line) == number.sub("#", other) and all(
        abs(float(a) - float(b)) <= tolerance * abs(float(a)) for a, b in zip(number.findall(line), number.findall(other)))


class LinuxGuest(LinuxCase):
    def test_a_script_runs_as_root_and_its_code_is_the_programs(self):
        out, printed = self.boot("id -u; echo $1-$2; echo wrong >&2; exit 7\n", "--argument", "a b", "--argument", "c'd",
                                 code=7)
        self.assertEqual(printed, "0\na b-c'd\nwrong\n")
        self.assertEqual((out / "output.log").read_text(), printed)
        self.assertEqual(self.result(out)["guest"]["exit_code"], 7)
        self.assertIn("Linux version 6.", (out / "console.log").read_text())

    def test_time_is_the_simulations(self):
        began = time.monotonic()
        out, printed = self.boot("date -u +%F; sleep 3600; date -u +%T\n")
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(printed.splitlines()[0], "2026-01-01")
        self.assertTrue(printed.splitlines()[1].startswith("01:00:0"), printed)
        self.assertAlmostEqual(self.result(out)["guest"]["end_s"], 3600, delta=2)

    def test_what_it_writes_is_read_back_and_nothing_of_the_host_is_changed(self):
        script = ("dd if=/dev/urandom of=/tmp/a bs=1M count=8 2>&- ; dd if=/tmp/a of=/dev/nvme0n1 bs=256k oflag=direct 2>&-\n"
                  "dd if=/dev/nvme0n1 of=/tmp/b bs=1M count=8 iflag=direct 2>&- ; cmp /tmp/a /tmp/b && echo same\n"
                  "echo changed > " + str(self.scratch / "host.txt") + "; cp /tmp/a /out/copy\n")
        self.file("host.txt", "as it was\n")
        out, printed = self.boot(script)
        self.assertEqual(printed, "same\n")
        self.assertEqual((self.scratch / "host.txt").read_text(), "as it was\n")
        self.assertEqual((out / "guest/copy").stat().st_size, 8 << 20)
        result = self.result(out)
        self.assertEqual(result["host"]["write"]["bytes"], 8 << 20)
        self.assertEqual(result["verify"]["mismatches"], 0)
        seen = result["guest"]["drives"]["nvme0n1"]
        self.assertEqual(seen["write_sectors"] * 512, result["host"]["write"]["bytes"])
        self.assertEqual(seen["read_sectors"] * 512, result["host"]["read"]["bytes"])
        self.assertEqual(seen["writes"], result["host"]["write"]["ios"])

    @needs("fio", "mkfs.ext4", "e2fsck")
    def test_file_system_fio_verify_trim_and_check(self):
        script = (f"set -e\n{MKFS} /dev/nvme0n1\nmkdir -p /mnt/d\nmount /dev/nvme0n1 /mnt/d\n"
                  f"{FIO} --name=v --directory=/mnt/d --rw=randwrite --bs=4k --size=4m --fsync=16 --verify=crc32c\n"
                  "cp /bin/ls /mnt/d/ls\numount /mnt/d\nmount /dev/nvme0n1 /mnt/d\ncmp /bin/ls /mnt/d/ls\nrm /mnt/d/ls\n"
                  "sync\nfstrim /mnt/d\numount /mnt/d\ne2fsck -f -n /dev/nvme0n1 > /out/fsck 2>&1\necho clean\n")
        out, printed = self.boot(script)
        self.assertEqual(printed, "clean\n")
        fio = json.loads((out / "guest/fio.json").read_text())
        self.assertEqual(fio["jobs"][0]["error"], 0)
        self.assertEqual(fio["jobs"][0]["read"]["total_ios"], 1024)  # the verify phase of fio
        result = self.result(out)
        self.assertGreater(result["host"]["trim"]["ios"], 0)
        self.assertGreater(result["host"]["flush"]["ios"], 60)

    @needs("fio")
    def test_the_latency_that_fio_sees_is_the_drives(self):
        script = (f"dd if=/dev/zero of=/dev/nvme0n1 bs=1M count=4 oflag=direct 2>&-\necho measure > /dev/ttyS0\n"
                  f"{FIO} --name=r --filename=/dev/nvme0n1 --rw=randread --bs=4k --direct=1 --ioengine=psync --size=4m "
                  "--io_size=2m --norandommap\n")
        out, _ = self.boot(script)
        fio = json.loads((out / "guest/fio.json").read_text())["jobs"][0]["read"]
        model = self.result(out)["host"]["read"]
        self.assertEqual(fio["total_ios"], model["ios"])
        difference = fio["clat_ns"]["mean"] - model["latency_ns"]["mean"]
        self.assertGreaterEqual(difference, 0)
        self.assertLessEqual(difference, 600)

    def test_the_same_run_is_the_same_bytes(self):
        script = (f"{MKFS} /dev/nvme0n1\nmkdir -p /mnt/d\nmount /dev/nvme0n1 /mnt/d\n"
                  "python3 -c 'import random,os\nfor n in range(20):\n open(f\"/mnt/d/{n}\",\"wb\").write(os.urandom("
                  "random.randrange(1,99999)))'\nsync\numount /mnt/d\nhead -c 8 /dev/urandom | od -An -tx8\n")
        runs = [self.boot(script) for _ in range(2)]
        self.assertEqual(runs[0][1], runs[1][1])
        first, second = ((out / "result.json").read_bytes() for out, _ in runs)
        self.assertEqual(first, second)
        other, printed = self.boot(script, "--seed", 77)
        self.assertNotEqual(printed, runs[0][1])

    @needs("fio", "mkfs.ext4", "e2fsck", "nvme")
    def test_the_screen_of_the_recipes(self):
        """The lines of the recipes' screen, below its marker, where kernel and programs have the recipes' versions."""
        recipes = (ROOT / "docs/how-to/recipes.md").read_text()
        screen = [line[4:] for line in recipes.split("tests/program/test_linux.py -->\n")[1].split("\n\n")[0].splitlines()]
        self.assertGreater(len(screen), 8)
        done = self.start("linux", "tiny", "--kernel", KERNEL, "--run", ROOT / "docs/how-to/linux-fio.sh")
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = [line.expandtabs(8).rstrip() for line in done.stdout.splitlines()]
        if subprocess.run(["fio", "--version"], capture_output=True, text=True, check=False).stdout != "fio-3.33\n":
            self.skipTest("another fio")
        if "6.12.117" not in str(pathlib.Path(KERNEL).resolve()):
            self.skipTest("another kernel")
        # The last digits of the numbers differ between builds of the same kernel.
        for line in screen:
            self.assertTrue(any(alike(line, other) for other in printed), f"{line}\nis none of\n" + "\n".join(printed))

    def test_a_shell_on_a_terminal(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, "linux", "tiny", "--kernel", KERNEL, "--shell", "--quiet"], cwd=self.scratch,
                                   stdin=theirs, stdout=theirs, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        os.close(theirs)
        said = b""

        def expect(text):
            nonlocal said
            deadline = time.monotonic() + 60
            while text not in said and time.monotonic() < deadline:
                if select.select([ours], [], [], 1)[0]:
                    said += os.read(ours, 4096)
            self.assertIn(text, said)
            said = said[said.index(text) + len(text):]

        expect(b"# ")
        os.write(ours, b"echo $((6 * 7)) drives: /dev/nvme?n1\n")
        expect(b"42 drives: /dev/nvme0n1")
        os.write(ours, b"exit 9\n")
        process.wait(timeout=60)
        os.close(ours)
        self.assertEqual(process.returncode, 9, process.stderr.read())
        process.stderr.close()

    def test_the_driver_lends_memory_to_a_drive_that_asks_for_it(self):
        sets = ["dram.size=0 B", "sram.size=2 MiB", "ftl.kind=dftl", "ftl.kind.cmt_size=64 B", "hmb.size=1 MiB",
                "precondition.fill=1", "verify=true"]
        out, _ = self.boot("dd if=/dev/nvme0n1 of=/dev/null bs=64k count=64 status=none", sets=sets)
        self.assertIn("allocated 1 MiB host memory buffer", (out / "console.log").read_text())
        result = self.result(out)
        self.assertEqual(result["verify"]["mismatches"], 0)
        self.assertGreater(result["hmb"]["hits"], 0)
        self.assertEqual(result["hmb"]["revocations"], 0)

    def test_two_drives(self):
        script = ("for n in 0 1; do dd if=/dev/urandom of=/tmp/$n bs=64k count=$((n+2)) 2>&-\n"
                  "dd if=/tmp/$n of=/dev/nvme${n}n1 bs=64k oflag=direct 2>&-; done\n"
                  "for n in 0 1; do dd if=/dev/nvme${n}n1 bs=64k count=$((n+2)) iflag=direct 2>&- | cmp - /tmp/$n; done\n"
                  "cat /sys/block/nvme0n1/size /sys/block/nvme1n1/size\n")
        out, printed = self.boot(script, devices=("tiny", "tiny"))
        sizes = [int(line) for line in printed.split()]
        self.assertEqual(len(sizes), 2)
        for number in range(2):
            result = json.loads((out / f"nvme{number}" / "result.json").read_text())
            self.assertEqual(result["host"]["write"]["bytes"], (number + 2) << 16)
            self.assertEqual(result["device"]["capacity_bytes"], sizes[number] * 512)
            self.assertEqual(result["verify"]["mismatches"], 0)


class LinuxEnds(LinuxCase):
    """However a guest ends, it leaves no process and no file."""

    def setUp(self):
        super().setUp()
        self.temporary = self.scratch / "temporary"
        self.temporary.mkdir()
        os.environ["TMPDIR"] = str(self.temporary)
        self.addCleanup(os.environ.pop, "TMPDIR")

    def tearDown(self):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and (list(self.temporary.iterdir()) or self.guests()):
            time.sleep(0.1)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(self.guests(), [])
        super().tearDown()

    def guests(self):
        """Guest processes of this test."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if str(self.temporary) in os.readlink(process / "cwd"):
                    found.append(process.name)
            except OSError:
                pass
        return found

    def begin(self, script, *arguments):
        process = subprocess.Popen([PROGRAM, "linux", "tiny", "--kernel", KERNEL, "--run", self.file("s.sh", script), "--out",
                                    self.scratch / "out", "--quiet", *map(str, arguments)], cwd=self.scratch,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def test_a_guest_that_spins_is_told_from_one_that_works(self):
        process = self.begin("while :; do :; done\n", "--watchdog", 1)
        out, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 1)
        self.assertIn("computes without system calls", err)
        self.assertFalse((self.scratch / "out/result.json").exists())

    def test_a_guest_that_dies_is_told_in_its_last_words(self):
        process = self.begin("echo ready; while :; do dd if=/dev/zero of=/dev/nvme0n1 bs=64k count=64 oflag=direct 2>&-; "
                             "done\n")
        self.assertEqual(process.stdout.readline(), "ready\n")
        for guest in self.guests():
            os.kill(int(guest), signal.SIGKILL)
        _, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(err, "the guest ended before its script did: .*[a-z]{4}")

    def test_interrupt_pulls_the_plug_and_leaves_results(self):
        process = self.begin("echo ready; while :; do dd if=/dev/zero of=/dev/nvme0n1 bs=64k count=64 oflag=direct 2>&-; "
                             "done\n")
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 130)
        result = self.result(self.scratch / "out")
        self.assertTrue(result["guest"]["stopped"])
        self.assertIsNone(result["guest"]["exit_code"])
        self.assertEqual(result["verify"]["mismatches"], 0)

    def test_kill_leaves_nothing(self):
        process = self.begin("echo ready; while :; do dd if=/dev/zero of=/dev/nvme0n1 bs=64k count=64 oflag=direct 2>&-; "
                             "done\n")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.kill()
        process.communicate(timeout=TIMEOUT_S)


@needs("nvme")
class LinuxNvmeCli(LinuxCase):
    """nvme-cli against the counts of the model."""

    def test_identify_smart_list_and_format(self):
        script = ("nvme list -o json\necho ---\nnvme id-ctrl /dev/nvme0 -o json\necho ---\nnvme id-ns /dev/nvme0n1 -o json\n"
                  "echo ---\ndd if=/dev/urandom of=/dev/nvme0n1 bs=64k count=50 oflag=direct 2>&-\n"
                  "nvme smart-log /dev/nvme0 -o json\necho ---\nnvme format /dev/nvme0n1 --force > /out/format 2>&1; echo $?\n"
                  "dd if=/dev/nvme0n1 bs=64k count=50 iflag=direct 2>&- | tr -d '\\0' | wc -c\n")
        out, printed = self.boot(script)
        listed, controller, namespace, smart, rest = printed.split("---\n")
        result = self.result(out)
        capacity = result["device"]["capacity_bytes"]
        self.assertEqual(json.loads(listed)["Devices"][0]["PhysicalSize"], capacity)
        self.assertEqual(json.loads(controller)["nn"] >= 1, True)
        self.assertEqual(json.loads(namespace)["nsze"] * 512, capacity)
        smart = json.loads(smart)
        self.assertEqual(int(smart["data_units_written"]), -(-50 * (64 << 10) // 512_000))
        self.assertEqual(int(smart["media_errors"]), 0)
        self.assertEqual(rest.split(), ["0", "0"])


# Zones of 512 KiB, all of it writable; random write areas.
ZONED = ["nand.page_size=16 KiB", "nand.pages=8", "host_interface.sector_size=4 KiB", "buffer.replacement=fifo",
         'ftl.kind={ name="zoned", zone_size="512 KiB", max_open=6, max_active=8, random_write_area="32 KiB" }']
# Zones of 4 MiB, enough of them for F2FS.
MANY_ZONED = [*ZONED[:1], "nand.pages=64", "nand.blocks=128", *ZONED[2:4], 'ftl.kind={ name="zoned" }']


class LinuxZones(LinuxCase):
    @needs("blkzone")
    def test_the_block_layer_reads_reports_and_manages_zones(self):
        script = ("cd /sys/block/nvme0n1/queue\ncat zoned chunk_sectors max_open_zones max_active_zones\n"
                  "test $(cat zone_append_max_bytes) -gt 0 && test $(cat nr_zones) -gt 10 && echo zones\n"
                  "head -c 256k /dev/urandom > /tmp/a\n"
                  "dd if=/tmp/a of=/dev/nvme0n1 bs=64k oflag=direct seek=8 2> /dev/null && echo written\n"
                  "dd if=/tmp/a of=/dev/nvme0n1 bs=64k oflag=direct seek=20 count=1 2> /dev/null || echo refused\n"
                  "dd if=/dev/nvme0n1 of=/tmp/b bs=64k iflag=direct skip=8 count=4 2> /dev/null ; cmp /tmp/a /tmp/b && echo same\n"
                  "report() { blkzone report -o $((1024 * $1)) -c 1 /dev/nvme0n1 | "
                  "sed -E 's/.*(wptr 0x[0-9a-f]*) .*zcond: *([0-9]*).*/\\1 \\2/'; }\n"
                  "report 1\nblkzone finish -o 1024 -c 1 /dev/nvme0n1\nreport 1\n"
                  "blkzone open -o 2048 -c 1 /dev/nvme0n1\nreport 2\nblkzone reset -o 1024 -c 1 /dev/nvme0n1\nreport 1\n"
                  "dd if=/dev/nvme0n1 bs=64k iflag=direct skip=8 count=4 2> /dev/null | tr -d '\\0' | wc -c\n")
        out, printed = self.boot(script, sets=ZONED)
        self.assertEqual(printed.split(), "host-managed 1024 6 8 zones written refused same wptr 0x000200 2 "
                         "wptr 0x000400 14 wptr 0x000000 3 wptr 0x000000 1 0".split())
        result = self.result(out)
        self.assertEqual(result["host"]["zone_errors"], 1)
        self.assertEqual(result["verify"]["mismatches"], 0)
        self.assertEqual(result["zones"]["resets"], 1)

    @needs("fio")
    def test_fio_writes_zones_and_reads_back_what_it_wrote(self):
        jobs = (f"{FIO} --filename=/dev/nvme0n1 --direct=1 --zonemode=zbd --ioengine=libaio --iodepth=4 "
                "--name=w --rw=randwrite --bs=16k --size=4m --max_open_zones=4 --verify=crc32c --do_verify=1 "
                "--name=m --stonewall --rw=randrw --bs=4k --size=4m --io_size=1m --max_open_zones=4\n")
        out, _ = self.boot(jobs, sets=ZONED)
        fio = json.loads((out / "guest/fio.json").read_text())["jobs"]
        self.assertEqual([job["error"] for job in fio], [0, 0])
        self.assertEqual(fio[0]["read"]["io_bytes"], fio[0]["write"]["io_bytes"])
        result = self.result(out)
        self.assertNotIn("zone_errors", result["host"])
        self.assertEqual(result["host"]["write"]["bytes"], sum(job["write"]["io_bytes"] for job in fio))
        self.assertEqual(result["verify"]["mismatches"], 0)

    @needs("nvme")
    def test_nvme_cli_sees_the_command_set(self):
        script = ("nvme zns id-ns /dev/nvme0n1 -o json > /out/ns.json\n"
                  "nvme zns id-ctrl /dev/nvme0 -o json > /out/ctrl.json\n"
                  "head -c 4096 /dev/urandom > /tmp/a\n"
                  "for i in 1 2; do nvme zns zone-append /dev/nvme0n1 -s 128 -z 4096 -d /tmp/a; done 2>&1\n"
                  "nvme read /dev/nvme0n1 -s 129 -c 0 -z 4096 -d /tmp/b > /dev/null 2>&1; cmp /tmp/a /tmp/b && echo same\n"
                  "nvme zns open-zone /dev/nvme0n1 -s 256 -r > /dev/null 2>&1; nvme zns close-zone /dev/nvme0n1 -s 0 2>&1\n"
                  "nvme zns report-zones /dev/nvme0n1 -d 3\nnvme zns changed-zone-list /dev/nvme0n1\n")
        out, printed = self.boot(script, sets=ZONED)
        name_space = json.loads((out / "guest/ns.json").read_text())
        self.assertEqual([name_space[key] for key in ("zoc", "ozcs", "mar", "mor")], [0, 3, 7, 5])
        self.assertEqual(name_space["lbafe"][0], {"zsze": 128, "zdes": 0})
        self.assertEqual(json.loads((out / "guest/ctrl.json").read_text())["zasl"], 0)
        self.assertRegex(printed, r"appended data to LBA 80\n(.|\n)*appended data to LBA 81\n(.|\n)*same\n")
        self.assertRegex(printed.upper(), "INVALID.*TRANSITION")
        self.assertRegex(printed, r"SLBA: (0x)?80 +WP: (0x)?82 +Cap: (0x)?80 ")

    @needs("mkfs.f2fs", "fsck.f2fs")
    def test_f2fs_lives_on_zones(self):
        """F2FS with its metadata on a second, unzoned drive."""
        def device(name, sets):
            made = self.start("config", "tiny", *(word for override in sets for word in ("--set", override)))
            self.assertEqual(made.returncode, 0, made.stderr)
            return self.file(name, made.stdout)
        # F2FS wants equal sector sizes.
        plain = device("plain.toml", ["nand.blocks=512", "host_interface.sector_size=4 KiB"])
        zoned = device("zoned.toml", MANY_ZONED)
        script = ("set -e\nmkfs.f2fs -f -m -c /dev/nvme1n1 /dev/nvme0n1 > /out/mkfs\nmkdir -p /mnt/d\n"
                  "mount -t f2fs /dev/nvme0n1 /mnt/d\nhead -c 8M /dev/urandom > /tmp/a\n"
                  "for i in 1 2 3 4; do cp /tmp/a /mnt/d/$i; sync; done\nrm /mnt/d/2\n"
                  "umount /mnt/d\nmount -t f2fs /dev/nvme0n1 /mnt/d\ncmp /tmp/a /mnt/d/4\numount /mnt/d\n"
                  "fsck.f2fs /dev/nvme0n1 > /out/fsck\necho clean\n")
        out, printed = self.boot(script, devices=(plain, zoned))
        self.assertEqual(printed, "clean\n")
        for drive in ("nvme0", "nvme1"):
            result = json.loads((out / drive / "result.json").read_text())
            self.assertEqual(result["verify"]["mismatches"], 0)
            self.assertNotIn("zone_errors", result["host"])
        self.assertGreater(result["host"]["write"]["bytes"], 16 << 20)  # most of the data


class LinuxRefusals(ProgramCase):
    def refuse(self, *arguments, words):
        done = self.start("linux", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_what_cannot_be(self):
        script = self.file("s.sh", "true\n")
        kernel = self.file("linux", "#!/bin/sh\n")
        kernel.chmod(0o755)
        self.refuse("tiny", words=["--run SCRIPT or --shell"])
        self.refuse("tiny", "--shell", "--run", script, words=["--shell", "--run"])
        self.refuse("tiny", "--kernel", kernel, "--shell", words=["--shell: standard input is no terminal"])
        self.refuse("tiny", "--run", "none.sh", words=["--run", "none.sh"])
        self.refuse("tiny", "--run", script, "--kernel", "none", words=["--kernel", "none"])
        self.refuse("tiny", "--run", script, "--memory", "1 MiB", words=["--memory", "64 MiB"])
        for override, word in (("host.cache.size=1 MiB", "host.cache"), ("power.cut_at=1 ms", "power.cut_at")):
            self.refuse("tiny", "--kernel", kernel, "--run", script, "--set", override, words=[word])
        self.refuse("tiny", "tiny", "--kernel", kernel, "--run", script, "--state", "x", words=["--state"])


if __name__ == "__main__":
    unittest.main()
