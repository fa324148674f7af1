"""`flashloom nbd` with real clients: nbdcopy, nbdinfo, qemu-io, fio's nbd engine. Skips missing programs."""
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import time
import unittest

import schemas
from program import PROGRAM, TIMEOUT_S, ProgramCase

MIB = 1 << 20
GIB = 1 << 30
PLUGIN = pathlib.Path(PROGRAM).parent / "flashloom-nbdkit-plugin.so"
CAPACITY = 26214400  # of tiny


def needs(*programs):
    missing = [name for name in programs if shutil.which(name) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def has_fio_engine():
    if shutil.which("fio") is None:
        return False
    engines = subprocess.run(["fio", "--enghelp"], capture_output=True, text=True, check=False).stdout
    return "nbd" in engines.split()


class Client:
    """A minimal NBD client (newstyle, no structured replies): one command at a time, each acknowledged."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT_S)
        while self.socket.connect_ex(str(path)) != 0:  # the socket's name exists before the server listens
            time.sleep(0.01)
        self.take(8 + 8 + 2)
        self.socket.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">III", 7, 6, 0) + b"\0\0")
        while True:  # NBD_OPT_GO
            _, _, reply, length = struct.unpack(">QIII", self.take(20))
            self.take(length)
            if reply == 1:
                break
        self.number = 0

    def take(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("the server is gone")
            data += part
        return data

    def ask(self, operation, offset=0, length=0, data=b"", flags=0, answer=0):
        self.number += 1
        self.socket.sendall(struct.pack(">IHHQQI", 0x25609513, flags, operation, self.number, offset, length) + data)
        _, error, number = struct.unpack(">IIQ", self.take(16))
        assert number == self.number
        return error, self.take(answer) if error == 0 else b""

    def read(self, offset, length):
        error, data = self.ask(0, offset, length, answer=length)
        assert error == 0, error
        return data

    def write(self, offset, data, fua=False):
        return self.ask(1, offset, len(data), data, flags=1 if fua else 0)[0]

    def flush(self):
        return self.ask(3)[0]

    def trim(self, offset, length):
        return self.ask(4, offset, length)[0]

    def zero(self, offset, length, flags=0):
        return self.ask(6, offset, length, flags=flags)[0]


@needs("nbdkit")
@unittest.skipIf(not PLUGIN.exists(), "built without nbdkit-plugin-dev: no plug-in")
class Nbd(ProgramCase):
    def nbd(self, *arguments, device="tiny", code=0):
        done = self.start("nbd", device, "--quiet", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def serve(self, *arguments, device="tiny"):
        """Starts a server; returns it and the path of its socket, which exists by then."""
        path = self.scratch / "nbd.sock"
        path.unlink(missing_ok=True)  # left by a killed server
        server = subprocess.Popen([PROGRAM, "nbd", device, "--quiet", "--unix", path, *map(str, arguments)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, server)
        while not path.exists():
            self.assertIsNone(server.poll(), server.communicate() if server.poll() is not None else "")
            time.sleep(0.01)
        return server, path

    def end(self, server, how=signal.SIGTERM):
        if server.poll() is None:
            server.send_signal(how)
        return server.communicate(timeout=TIMEOUT_S)

    def nbdkits_of(self, server):
        found = subprocess.run(["ps", "--ppid", str(server.pid), "-o", "pid="], capture_output=True, text=True,
                               check=False).stdout.split()
        return [int(pid) for pid in found]

    def image(self, size=4 * MIB, seed=1):
        image = self.scratch / f"image{seed}"
        image.write_bytes(random.Random(seed).randbytes(size))
        return image

    # ---- Contents ----

    @needs("nbdcopy")
    def test_an_image_is_the_same_when_it_comes_back(self):
        image, out = self.image(), self.scratch / "back"
        results = self.scratch / "results"
        self.nbd("--run", f'nbdcopy {image} "$uri" && nbdcopy "$uri" {out}', "--out", results)
        back = out.read_bytes()
        self.assertEqual(len(back), CAPACITY)
        self.assertEqual(back[:4 * MIB], image.read_bytes())
        self.assertEqual(back[4 * MIB:], bytes(CAPACITY - 4 * MIB))
        result = json.loads((results / "result.json").read_text())
        schemas.check(result, "result")
        schemas.check(json.loads((results / "run.json").read_text()), "run")
        self.assertEqual(result["workload"]["kind"], "nbd")
        self.assertEqual(result["verify"]["mismatches"], 0)
        self.assertGreater(result["nbd"]["requests"], 0)

    @needs("nbdinfo")
    def test_clients_are_told_what_it_is(self):
        done = self.nbd("--run", 'nbdinfo --json "$uri"', "--set", "host_interface.sector_size=4 KiB")
        export = json.loads(done.stdout)["exports"][0]
        self.assertEqual(export["block_size_minimum"], 4096)
        for what in ("can_flush", "can_fua", "can_trim", "can_zero", "can_fast_zero", "can_multi_conn", "can_cache"):
            self.assertTrue(export[what], what)

    @needs("qemu-io")
    def test_qemu_discards_zeroes_and_flushes(self):
        self.nbd("--run", 'qemu-io -f raw -c "write -P 0x5a 0 4M" -c "discard 1M 1M" -c "write -z 2M 1M" -c flush '
                 '-c "read -P 0x5a 0 1M" -c "read -P 0 1M 2M" -c "read -P 0x5a 3M 1M" "$uri" > out; '
                 '! grep -q -i -E "fail|error" out'.replace("out", str(self.scratch / "said")))

    def test_the_discard_of_a_terabyte_costs_no_memory_and_no_audit(self):
        results = self.scratch / "results"
        server, path = self.serve("--out", results, device="nvme-tlc-1tb")
        client = Client(path)
        self.assertEqual(client.write(GIB, b"data" * 1024), 0)
        pieces = 930
        for number in range(pieces):
            self.assertEqual(client.trim(number * GIB, GIB), 0)
        self.assertEqual(client.read(GIB, 4096), bytes(4096))
        self.end(server)
        self.assertEqual(server.returncode, 0)
        result = json.loads((results / "result.json").read_text())
        self.assertEqual(result["host"]["trim"]["bytes"], pieces * GIB)
        self.assertEqual(result["verify"]["audited_sectors"], 64)  # of the group that was written
        self.assertLess(json.loads((results / "run.json").read_text())["peak_rss_bytes"], 200 * MIB)

    def test_every_command_does_what_it_says(self):
        server, path = self.serve()
        client = Client(path)
        noise = random.Random(2).randbytes(64 * 1024)
        self.assertEqual(client.write(8192, noise), 0)
        self.assertEqual(client.write(0, noise[:512], fua=True), 0)
        self.assertEqual(client.flush(), 0)
        self.assertEqual(client.read(8192, len(noise)), noise)
        self.assertEqual(client.trim(8192, 4096), 0)
        for flags in (0, 2, 1 | 2, 16):  # no hole; FUA with it; fast
            self.assertEqual(client.zero(16384, 512, flags=flags), 0)
        self.assertEqual(client.read(8192, 8704), bytes(4096) + noise[4096:8192] + bytes(512))
        self.assertEqual(client.read(0, 512), noise[:512])
        # Half sectors and offsets beyond the end are refused; a long request is split into commands.
        self.assertEqual(client.write(1, b"x" * 512), 22)
        self.assertEqual(client.ask(0, 0, 100)[0], 22)
        self.assertNotEqual(client.ask(0, CAPACITY, 512)[0], 0)
        long = random.Random(3).randbytes(9 * MIB)
        self.assertEqual(client.write(MIB, long), 0)
        self.assertEqual(client.read(MIB, len(long)), long)
        self.end(server, signal.SIGINT)
        self.assertEqual(server.returncode, 0)
        self.assertFalse(path.exists())

    # ---- Time ----

    @unittest.skipIf(not has_fio_engine(), "fio without its nbd engine")
    def test_the_queue_depth_of_fio_reaches_the_drive(self):
        results = self.scratch / "results"
        self.nbd("--gather", "100000", "--out", results, "--run",
                 'fio --name=a --ioengine=nbd --uri="$uri" --rw=randwrite --bs=4k --iodepth=16 --size=2m '
                 f'--verify=crc32c --output={self.scratch}/fio.out')
        result = json.loads((results / "result.json").read_text())
        self.assertEqual(result["host"]["write"]["ios"], 512)
        self.assertEqual(result["host"]["read"]["ios"], 512)
        self.assertGreaterEqual(result["nbd"]["most_in_flight"], 8)

    def sequential(self, name):
        results = self.scratch / name
        server, path = self.serve("--out", results, "--io-log", "csv")
        client = Client(path)
        choices = random.Random(4)
        for _ in range(300):
            at = choices.randrange(CAPACITY // 4096) * 4096
            if choices.random() < 0.5:
                client.write(at, choices.randbytes(4096))
            else:
                client.read(at, 4096)
        client.flush()
        self.end(server)
        return (results / "result.json").read_bytes(), (results / "io_log.csv").read_bytes()

    def test_a_client_with_one_request_at_a_time_gets_the_same_result_again(self):
        self.assertEqual(self.sequential("first"), self.sequential("second"))

    def test_a_pace_is_kept_and_reported(self):
        results = self.scratch / "results"
        begin = time.monotonic()
        server, path = self.serve("--pace", 1000, "--out", results)
        client = Client(path)
        for i in range(50):
            client.read(i * 4096, 4096)
        wall = time.monotonic() - begin
        self.end(server)
        result = json.loads((results / "result.json").read_text())
        pace = json.loads((results / "run.json").read_text())["pace"]
        schemas.check(json.loads((results / "run.json").read_text()), "run")
        self.assertEqual(pace["answers"], 50)
        self.assertEqual(pace["missed_share"], pace["missed"] / 50)
        busy = result["host"]["read"]["latency_ns"]["mean"] * 50e-9
        self.assertGreaterEqual(wall, busy * 1000)  # no answer comes before its simulated time, paced

    # ---- State ----

    def test_the_drive_outlives_its_server(self):
        state = self.scratch / "drive"
        noise = random.Random(5).randbytes(3 * MIB)
        server, path = self.serve("--state", state)
        client = Client(path)
        client.write(MIB, noise)
        client.trim(2 * MIB, MIB)
        self.end(server)
        self.assertEqual(server.returncode, 0)
        self.assertLess((state / "journal").stat().st_size, 100)  # the saved state holds everything
        server, path = self.serve("--state", state)
        self.assertEqual(Client(path).read(MIB, 3 * MIB), noise[:MIB] + bytes(MIB) + noise[2 * MIB:])
        refused = self.start("nbd", "tiny", "--unix", self.scratch / "other.sock", "--state", state)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("another process", refused.stderr)
        self.assertFalse((self.scratch / "other.sock").exists())

    def test_nothing_acknowledged_is_lost_by_a_kill(self):
        state = self.scratch / "drive"
        held = bytearray(CAPACITY)
        choices = random.Random(6)
        for round_ in range(4):
            server, path = self.serve("--state", state)
            client = Client(path)
            self.assertEqual(client.read(0, CAPACITY), bytes(held), f"round {round_}")
            for _ in range(200):
                sectors = choices.randrange(1, 65)
                at = choices.randrange(CAPACITY // 512 - sectors) * 512
                kind = choices.random()
                data = choices.randbytes(sectors * 512)
                if kind < 0.8:
                    self.assertEqual(client.write(at, data, fua=kind < 0.1), 0)
                elif kind < 0.9:
                    data = bytes(len(data))
                    self.assertEqual(client.zero(at, len(data)), 0)
                else:  # only whole mapping units are trimmed
                    self.assertEqual(client.trim(at, len(data)), 0)
                    first, last = -(-at // 4096) * 4096, (at + len(data)) // 4096 * 4096
                    data = bytes(max(0, last - first))
                    at = first
                held[at:at + len(data)] = data
            children = self.nbdkits_of(server)
            server.kill() if round_ != 2 else os.kill(children[0], signal.SIGKILL)
            server.communicate(timeout=TIMEOUT_S)
            self.assertEqual(server.returncode, 1 if round_ == 2 else -signal.SIGKILL)
        with open(state / "journal", "ab") as journal:  # an incomplete record
            journal.write(b"torn" * 20)
        server, path = self.serve("--state", state)
        self.assertEqual(Client(path).read(0, CAPACITY), bytes(held))

    # ---- Ends ----

    def test_it_ends_with_its_command_and_leaves_nothing(self):
        before = set(os.listdir("/tmp"))
        done = self.nbd("--run", f'echo "$unixsocket" > {self.scratch}/where; exit 7', code=7)
        self.assertEqual(done.stderr, "")
        self.assertFalse(pathlib.Path((self.scratch / "where").read_text().strip()).exists())
        self.assertEqual([name for name in set(os.listdir("/tmp")) - before if name.startswith("flashloom-nbd")], [])

    def test_the_end_of_nbdkit_is_a_failure_that_leaves_nothing(self):
        server, path = self.serve("--out", self.scratch / "results")
        children = self.nbdkits_of(server)
        self.assertEqual(len(children), 1)
        os.kill(children[0], signal.SIGKILL)
        _, said = server.communicate(timeout=TIMEOUT_S)
        self.assertEqual(server.returncode, 1)
        self.assertIn("nbdkit has ended", said)
        self.assertFalse(path.exists())
        self.assertTrue((self.scratch / "results" / "result.json").exists())

    def test_a_socket_of_a_killed_server_is_taken_and_a_served_one_is_not(self):
        server, path = self.serve()
        self.assertEqual(self.start("nbd", "tiny", "--unix", path).returncode, 2)
        server.kill()
        server.communicate(timeout=TIMEOUT_S)
        self.assertTrue(path.exists())
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:  # nbdkit ends with its parent
            probe = socket.socket(socket.AF_UNIX)
            if probe.connect_ex(str(path)) != 0:
                break
            probe.close()
            time.sleep(0.05)
        self.nbd("--unix", path, "--run", "true")
        self.assertFalse(path.exists())

    def test_bad_input(self):
        for arguments, word in (((), "--unix"), (("--unix", ""), "--unix"), (("--unix", "x" * 200), "--unix"),
                                (("--unix", "/no/folder/s"), "--unix"), (("--run", "true", "--pace", "0"), "--pace"),
                                (("--run", "true", "--pace", "1", "--gather", "1"), "--gather"),
                                (("--run", "true", "--sync"), "--sync"),
                                (("--run", "true", "--data-memory", "1"), "--data-memory"),
                                (("--run", "true", "--set", "power.cut_at=1 ms"), "power.cut_at"),
                                (("--run", "true", "--state", "/dev/null/x"), "--state"),
                                (("--run", "true", "--io-log", "csv"), "--io-log")):
            done = self.start("nbd", "tiny", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(word, done.stderr)
        plain = self.file("plain", "text")
        self.assertEqual(self.start("nbd", "tiny", "--unix", plain).returncode, 2)
        self.assertTrue(pathlib.Path(plain).exists())


if __name__ == "__main__":
    unittest.main()
