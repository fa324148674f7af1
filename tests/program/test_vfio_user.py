"""`flashloom vfio-user` with a client of our own (vfio_client.py)."""
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import time
import unittest

import schemas
import vfio_client as vfio
from program import PROGRAM, TIMEOUT_S, ProgramCase
from vfio_client import BASE, READ, WRITE, Refused, VfioClient

CAPACITY = 26214400  # of tiny
EINVAL, ENOENT, EEXIST, ENOTSUP = 22, 2, 17, 95


class VfioUser(ProgramCase):
    def serve(self, *arguments, device="tiny"):
        """Starts a server; returns it and the path of its socket, which exists by then."""
        path = self.scratch / "vfio.sock"
        server = subprocess.Popen([PROGRAM, "vfio-user", device, "--quiet", "--socket", path, *map(str, arguments)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, server)
        probe = socket.socket(socket.AF_UNIX)
        while probe.connect_ex(str(path)) != 0:
            self.assertIsNone(server.poll(), server.communicate() if server.poll() is not None else "")
            time.sleep(0.01)
        probe.close()
        return server, path

    def end(self, server, how=signal.SIGTERM):
        if server.stdout.closed:
            return None
        if server.poll() is None:
            server.send_signal(how)
        said = server.communicate(timeout=TIMEOUT_S)
        self.assertEqual(server.returncode, 0, said)
        return said

    def client(self, path, **options):
        client = VfioClient(path, **options)
        self.addCleanup(client.socket.close)
        return client

    def ready(self, path, **options):
        client = self.client(path, **options)
        client.start()
        client.add_queue(1)
        return client

    def refused(self, error, ask, *arguments, **options):
        with self.assertRaises(Refused) as raised:
            ask(*arguments, **options)
        self.assertEqual(raised.exception.args[0], error)

    # ---- What it is ----

    def test_what_a_client_is_told(self):
        _, path = self.serve()
        client = self.client(path, hello=False)
        self.refused(EINVAL, client.ask, vfio.GET_INFO, struct.pack("<IIII", 16, 0, 0, 0))  # the version comes first
        reply = client.agree(minor=7)
        self.assertEqual(struct.unpack_from("<HH", reply), (0, 0))
        self.assertEqual(json.loads(reply[4:-1])["capabilities"], {"max_msg_fds": 8, "max_data_xfer_size": 1 << 20})
        self.assertEqual(reply[-1], 0)
        self.refused(EINVAL, client.agree)
        self.assertEqual(struct.unpack("<IIII", client.ask(vfio.GET_INFO, struct.pack("<IIII", 16, 0, 0, 0))),
                         (16, 3, 9, 5))  # resets, is PCI
        self.assertEqual([client.region(index)[0] for index in range(9)], [3, 0, 0, 0, 0, 0, 0, 3, 0])
        self.assertEqual(client.region(vfio.CONFIGURATION)[1], 4096)
        self.assertEqual([client.irqs(index)[1] for index in (0, 1, 3, 4)], [0] * 4)
        flags, vectors = client.irqs(vfio.MSIX)
        self.assertEqual(flags, 3)  # eventfds, maskable

        space = client.read(vfio.CONFIGURATION, 0, 4096)
        self.assertEqual(space[9:12], bytes((2, 8, 1)))  # the class of NVMe
        found, at = {}, space[0x34]
        while at:
            found[space[at]] = at
            at = space[at + 1]
        self.assertEqual(set(found), {0x01, 0x10, 0x11})  # power management, PCI Express, MSI-X
        control, table = struct.unpack_from("<HI", space, found[0x11] + 2)
        self.assertEqual(control + 1, vectors)
        _, bytes_ = client.region(vfio.BAR0)
        self.assertLessEqual(table + vectors * 16, bytes_)
        client.write(vfio.CONFIGURATION, 0x10, b"\xff" * 8)  # as an operating system asks for the size
        low, high = struct.unpack("<II", client.read(vfio.CONFIGURATION, 0x10, 8))
        self.assertEqual((high << 32 | low & ~15) + bytes_, 1 << 64)

    # ---- Data ----

    def test_data_come_back(self):
        results = self.scratch / "results"
        server, path = self.serve("--out", results)
        client = self.ready(path)
        self.assertIn(b"tiny", client.identify()[24:64])
        self.assertEqual(struct.unpack_from("<Q", client.identify(0, 1))[0] * 512, CAPACITY)
        choices = random.Random(1)
        held = bytearray(1 << 20)
        for _ in range(40):  # rounds of requests in flight together, which do not overlap
            starts = choices.sample(range(16), 12)
            under_way = []
            for start in starts:
                lba = start * 128 + choices.randrange(8)
                count = choices.randrange(1, 113) * 512  # up to 14 pages: PRP lists
                if choices.random() < 0.6:
                    data = choices.randbytes(count)
                    held[lba * 512:lba * 512 + count] = data
                    under_way.append((client.begin(1, WRITE, lba, data), None))
                else:
                    under_way.append((client.begin(1, READ, lba, count), bytes(held[lba * 512:lba * 512 + count])))
            choices.shuffle(under_way)
            for handle, expected in under_way:
                data = client.end(handle)
                if expected is not None:
                    self.assertEqual(data, expected)
        client.flush()
        client.trim(0, 128)
        held[:128 * 512] = bytes(128 * 512)
        for lba in range(0, len(held) // 512, 128):
            self.assertEqual(client.io(READ, lba, 65536), bytes(held[lba * 512:lba * 512 + 65536]))
        self.assertGreater(client.queues[1].interrupts, 40)
        self.assertEqual(self.end(server, signal.SIGINT), ("", ""))
        self.assertEqual(server.returncode, 0)
        self.assertFalse(path.exists())
        result = json.loads((results / "result.json").read_text())
        schemas.check(result, "result")
        self.assertEqual(result["verify"]["mismatches"], 0)
        self.assertGreater(result["host"]["write"]["ios"], 100)
        self.assertEqual(result["vfio_user"]["clients"], 2)  # and the probe of serve()
        self.assertEqual(result["vfio_user"]["refused"], 0)

    def test_memory_without_descriptors_is_reached_by_messages(self):
        _, path = self.serve()
        client = self.ready(path, shared=False)
        noise = random.Random(2).randbytes(40960)
        client.io(WRITE, 8, noise)
        self.assertEqual(client.io(READ, 8, len(noise)), noise)
        self.assertGreaterEqual(client.served, 24)  # 20 pages, 2 lists, 2 entries

    def test_a_client_that_does_not_reach_its_memory_stops_its_controller_alone(self):
        _, path = self.serve()
        client = self.client(path, shared=False)
        client.start()
        client.serve = lambda number, command, body: None
        client.queues[0].submit(0x06, 0, (BASE, 0), (1,))  # the server waits for its entry, in vain
        self.assertEqual(client.register(0x1c) & 2, 2)
        self.assertEqual(self.ready_after(client, path).io(READ, 0, 512), bytes(512))

    def ready_after(self, client, path):
        client.close()
        return self.ready(path)

    def test_dma_outside_of_windows_fails_the_command(self):
        _, path = self.serve()
        client = self.ready(path)
        queue = client.queues[1]
        for pointers in ((BASE - 4096, 0), (BASE + client.bytes, 0), (BASE + client.bytes - 4096, 1 << 63)):
            identifier = queue.submit(READ, 1, pointers, (0, 0, 15))
            with self.assertRaises(OSError) as raised:
                queue.wait(identifier)
            self.assertEqual(raised.exception.errno, 4)  # Data Transfer Error
        client.map(1 << 40, 1 << 20, flags=1)  # readable alone
        identifier = queue.submit(READ, 1, (1 << 40, 0), (0, 0, 7))
        with self.assertRaises(OSError):
            queue.wait(identifier)
        queue.wait(queue.submit(WRITE, 1, (1 << 40, 0), (0, 0, 7)))
        client.unmap(BASE, client.bytes)  # with the queues: the controller stops, the server does not
        client.write(vfio.BAR0, 0x1008, struct.pack("<I", 60))
        self.assertEqual(client.register(0x1c) & 2, 2)

    def test_a_file_that_shrinks_fails_the_command(self):
        _, path = self.serve()
        client = self.ready(path)
        file = os.memfd_create("short")
        os.ftruncate(file, 1 << 20)
        client.map(1 << 40, 1 << 20, file=file)
        os.ftruncate(file, 4096)
        queue = client.queues[1]
        for opcode in (READ, WRITE):
            queue.wait(queue.submit(opcode, 1, (1 << 40, 0), (0, 0, 7)))
            identifier = queue.submit(opcode, 1, ((1 << 40) + 8192, 0), (0, 0, 7))
            with self.assertRaises(OSError):
                queue.wait(identifier)
        os.close(file)
        os.ftruncate(client.file, 0)  # the queues
        client.write(vfio.BAR0, 0x1008, struct.pack("<I", 60))
        self.assertEqual(client.register(0x1c) & 2, 2)
        self.assertEqual(self.ready_after(client, path).io(READ, 0, 512), bytes(512))

    # ---- Interrupts ----

    def test_masked_vectors_wait(self):
        _, path = self.serve()
        client = self.ready(path)
        event = client.events[1]

        def rings(event):
            try:
                return os.eventfd_read(event)
            except BlockingIOError:
                return 0

        def read():
            handle = client.begin(1, READ, 0, 512)
            while handle[1] not in client.queues[1].done:  # polls
                client.queues[1].collect()

        def read_masked():
            read()
            while client.register(pending) == 0:
                pass
            self.assertEqual((client.register(pending), rings(event)), (2, 0))

        read()
        select.select([event], [], [], TIMEOUT_S)
        self.assertEqual(rings(event), 1)
        table = struct.unpack_from("<I", client.read(vfio.CONFIGURATION, 0x54, 4))[0]
        pending = struct.unpack_from("<I", client.read(vfio.CONFIGURATION, 0x58, 4))[0]
        control = table + 16 + 12
        masks = ((lambda: client.set_irqs(vfio.DATA_NONE | vfio.MASK, 1, 1),
                  lambda: client.set_irqs(vfio.DATA_BOOL | vfio.UNMASK, 0, 2, data=b"\0\1")),
                 (lambda: client.write(vfio.BAR0, control, struct.pack("<I", 1)),
                  lambda: client.write(vfio.BAR0, control, struct.pack("<I", 0))))
        for mask, unmask in masks:
            mask()
            self.assertEqual(client.register(control), 1)
            read_masked()
            unmask()
            self.assertEqual((client.register(pending), rings(event)), (0, 1))
        rings(client.events[0])  # those of admin commands
        client.set_irqs(vfio.DATA_NONE | vfio.TRIGGER, 0, 2)
        self.assertEqual((rings(client.events[0]), rings(event)), (1, 1))
        client.set_irqs(vfio.DATA_EVENTFD | vfio.TRIGGER, 1, 1)  # takes the eventfd back
        read_masked()
        client.set_irqs(vfio.DATA_EVENTFD | vfio.TRIGGER, 1, 1, [event])
        self.assertEqual(rings(event), 1)
        client.set_irqs(vfio.DATA_NONE | vfio.TRIGGER, 0, 0)  # disables all

    def test_a_full_completion_queue_waits_for_the_client(self):
        _, path = self.serve("--set", "host.queues=2")
        client = self.ready(path)
        client.add_queue(2, entries=8)
        queue = client.queues[2]
        for count in (7, 5):  # rings for more than the completions have room for
            for _ in range(count):
                queue.submit(READ, 1, (BASE + 63 * 4096, 0), (0, 0, 7))
            time.sleep(0.3)
        last = queue.identifier
        self.assertEqual(client.io(READ, 0, 512), bytes(512))  # the other queue goes on
        for identifier in range(last - 11, last + 1):
            queue.wait(identifier)

    # ---- Clients that come and go ----

    def test_a_client_dies_and_the_next_finds_the_drive(self):
        server, path = self.serve()
        client = self.ready(path)
        noise = random.Random(3).randbytes(1 << 16)
        client.io(WRITE, 256, noise)
        client.flush()
        waiting = self.client(path, hello=False)
        for lba in range(1024, 4096, 128):
            client.begin(1, WRITE, lba, noise)
        client.close()  # with its commands in flight
        waiting.agree()
        waiting.map(BASE, waiting.bytes)
        waiting.write(vfio.CONFIGURATION, 4, struct.pack("<H", 6))
        self.assertEqual([waiting.register(offset) for offset in (0x14, 0x1c, 0x24)], [0] * 3)  # it was reset
        waiting.start()
        waiting.add_queue(1)
        self.assertEqual(waiting.io(READ, 256, len(noise)), noise)
        waiting.ask(vfio.RESET)
        waiting.write(vfio.CONFIGURATION, 4, struct.pack("<H", 6))
        self.assertEqual(waiting.register(0x1c), 0)
        waiting.start()
        waiting.add_queue(1)
        self.assertEqual(waiting.io(READ, 256, len(noise)), noise)
        self.end(server)
        self.assertEqual(server.returncode, 0)

    def test_a_function_level_reset(self):
        _, path = self.serve()
        client = self.ready(path)
        noise = random.Random(6).randbytes(1 << 16)
        client.io(WRITE, 256, noise)
        for lba in range(1024, 4096, 128):
            client.begin(1, WRITE, lba, noise)  # in flight
        at = client.read(vfio.CONFIGURATION, 0x34, 1)[0]
        while client.read(vfio.CONFIGURATION, at, 1)[0] != 0x10:
            at = client.read(vfio.CONFIGURATION, at + 1, 1)[0]
        self.assertEqual(client.read(vfio.CONFIGURATION, at + 7, 1)[0] >> 4 & 1, 1)  # FLR is offered
        control = struct.unpack("<H", client.read(vfio.CONFIGURATION, at + 8, 2))[0]
        client.write(vfio.CONFIGURATION, at + 8, struct.pack("<H", control | 1 << 15))
        self.assertEqual(client.read(vfio.CONFIGURATION, at + 9, 1)[0] >> 7, 0)
        self.assertEqual(client.read(vfio.CONFIGURATION, 4, 2), bytes(2))
        events = client.events
        client.write(vfio.CONFIGURATION, 4, struct.pack("<H", 6))
        self.assertEqual([client.register(offset) for offset in (0x14, 0x1c, 0x24)], [0] * 3)
        client.write(vfio.CONFIGURATION, 0x53, b"\x80")  # MSI-X, with the eventfds from before
        client.enable()
        client.add_queue(1)
        self.assertIs(client.events, events)
        self.assertEqual(client.io(READ, 256, len(noise)), noise)

    def test_the_drive_is_saved_and_goes_on(self):
        state = self.scratch / "drive.state"
        server, path = self.serve("--save-state", state)
        noise = random.Random(5).randbytes(1 << 16)
        self.ready(path).io(WRITE, 512, noise)
        self.assertEqual(self.end(server), ("", ""))
        _, path = self.serve("--state", state)
        self.assertEqual(self.ready(path).io(READ, 512, len(noise)), noise)

    def test_a_signal_ends_it_with_commands_in_flight(self):
        server, path = self.serve("--pace", 1000)
        client = self.ready(path)
        for lba in range(0, 2048, 128):
            client.begin(1, WRITE, lba, bytes(65536))
        self.end(server)
        self.assertEqual(server.returncode, 0)
        with self.assertRaises(ConnectionError):
            client.register(0)

    def test_a_pace_is_kept_and_reported(self):
        results = self.scratch / "results"
        server, path = self.serve("--pace", 1000, "--out", results)
        client = self.ready(path)
        begin = time.monotonic()
        for i in range(20):
            client.io(READ, i * 8, 4096)
        wall = time.monotonic() - begin
        self.end(server)
        result = json.loads((results / "result.json").read_text())
        cost = json.loads((results / "run.json").read_text())
        schemas.check(cost, "run")
        self.assertGreaterEqual(cost["pace"]["answers"], 20)
        self.assertGreaterEqual(wall, result["host"]["read"]["latency_ns"]["mean"] * 20e-9 * 1000)

    # ---- Bad input ----

    def test_malformed_messages_are_answered_with_errors(self):
        server, path = self.serve()
        client = self.ready(path)
        access = struct.Struct("<QII")
        for command, body in ((vfio.DMA_MAP, b""), (vfio.DMA_MAP, bytes(31)), (vfio.DMA_UNMAP, b"x"), (vfio.GET_INFO, bytes(16)),
                              (vfio.GET_REGION_INFO, struct.pack("<IIIIQQ", 32, 0, 9, 0, 0, 0)),
                              (vfio.GET_IRQ_INFO, struct.pack("<IIII", 16, 0, 5, 0)), (vfio.GET_IRQ_INFO, bytes(15)),
                              (vfio.SET_IRQS, bytes(19)), (vfio.REGION_READ, bytes(15)), (vfio.REGION_WRITE, bytes(8)),
                              (vfio.REGION_READ, access.pack(0, 0, 0)), (vfio.REGION_READ, access.pack(2, 0, 4)),
                              (vfio.REGION_READ, access.pack(0, 1, 4)), (vfio.REGION_READ, access.pack(0, 99, 4)),
                              (vfio.REGION_READ, access.pack(4094, 7, 4)), (vfio.REGION_READ, access.pack(1 << 63, 0, 4)),
                              (vfio.REGION_READ, access.pack(0, 0, 0xfffffffc)), (vfio.REGION_WRITE, access.pack(0, 0, 4)),
                              (vfio.REGION_WRITE, access.pack(0, 7, 4) + bytes(8)), (0, b""), (vfio.DMA_READ, bytes(16)),
                              (19, b""), (0xffff, bytes(100))):
            self.refused(EINVAL, client.ask, command, body)
        for command in (6, 14, 15, 16, 17, 18):  # descriptors of regions, dirty pages, several writes, features, migration
            self.refused(ENOTSUP, client.ask, command, bytes(16))
        self.refused(ENOTSUP, client.unmap, BASE, client.bytes, flags=1)  # with a bitmap of dirty pages
        for error, address, count, flags, offset in ((EEXIST, BASE + 4096, 4096, 3, 0), (EEXIST, BASE - 4096, 1 << 40, 3, 0),
                                                     (EINVAL, 0, 0, 3, 0), (EINVAL, 0, 4096, 0, 0), (EINVAL, 0, 4096, 11, 0),
                                                     (EINVAL, (1 << 64) - 4096, 8192, 3, 0),
                                                     (EINVAL, 1 << 40, 4096, 3, client.bytes),  # behind the file's end
                                                     (EINVAL, 1 << 40, 4096, 3, (1 << 64) - 4096)):
            self.refused(error, client.map, address, count, flags, offset=offset)
        for address, count in ((BASE, 4096), (BASE, client.bytes - 4096), (BASE - 4096, 8192), (1 << 40, 4096),
                               (BASE + 4096, client.bytes)):
            self.refused(ENOENT, client.unmap, address, count)
        for page in range(3):  # as QEMU takes back what an IOMMU of the guest has mapped: all of it at once
            client.map((1 << 40) + page * 8192, 4096)
        client.unmap(1 << 40, 1 << 39)
        self.refused(ENOENT, client.unmap, 1 << 40, 1 << 39)
        pipe = os.pipe()
        for flags, start, count, files in ((0, 0, 1, ()), (7 | vfio.TRIGGER, 0, 1, ()), (vfio.DATA_NONE | 24, 0, 1, ()),
                                           (vfio.DATA_BOOL | vfio.MASK, 0, 2, ()), (vfio.DATA_NONE | vfio.MASK, 0, 100000, ()),
                                           (vfio.DATA_NONE | vfio.MASK, 0xffffffff, 2, ()),
                                           (vfio.DATA_EVENTFD | vfio.TRIGGER, 0, 2, client.events[:1]),
                                           (vfio.DATA_EVENTFD | vfio.TRIGGER, 0, 1, pipe[1:])):
            self.refused(EINVAL, client.set_irqs, flags, start, count, files)
        self.refused(EINVAL, client.set_irqs, vfio.DATA_NONE | vfio.MASK, 0, 1, index=0)
        self.assertEqual(client.register(0x1c) & 3, 1)  # the controller is as it was
        self.assertEqual(client.io(READ, 0, 512), bytes(512))
        self.assertIsNone(server.poll())

    def test_what_is_no_message_ends_the_connection_alone(self):
        server, path = self.serve()
        for size in (0, 15, 1 << 31):
            client = self.client(path)
            self.refused(EINVAL, client.ask, vfio.GET_INFO, size=size)
            with self.assertRaises(ConnectionError):
                client.take(1)
            client.close()
        for versions in ((1, 0, b""), (0, 0, b"{}"), (0, 0, b"nonsense\0"), (0, 0, b"[]\0"),
                         (0, 0, b'{"capabilities":{"max_data_xfer_size":"x"}}\0')):
            client = self.client(path, hello=False)
            self.refused(EINVAL, client.agree, *versions)
            client.close()
        choices = random.Random(4)
        for _ in range(200):  # noise behind valid headers
            client = self.client(path)
            for _ in range(5):
                body = choices.randbytes(choices.randrange(64))
                client.send(choices.randrange(20), body, flags=choices.choice((0, 16, 1, 3)))
            client.send(vfio.RESET)
            client.close()
        client = self.ready(path)
        self.assertEqual(client.io(READ, 0, 512), bytes(512))
        self.assertIsNone(server.poll())

    def test_bad_options(self):
        for arguments, word in (((), "--socket"), (("--socket", ""), "--socket"), (("--socket", "x" * 200), "--socket"),
                                (("--socket", "/no/folder/s"), "--socket"), (("--socket", "s", "--pace", "0"), "--pace"),
                                (("--socket", "s", "--pace", "1", "--gather", "1"), "--gather"),
                                (("--socket", "s", "--state", "/no/such.state"), "such.state"),
                                (("--socket", "s", "--save-state", "/no/such.state"), "such.state"),
                                (("--socket", "s", "--set", "power.cut_at=1 ms"), "power.cut_at"),
                                (("--socket", "s", "--io-log", "csv"), "--io-log")):
            done = self.start("vfio-user", "tiny", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(word, done.stderr)
        done = self.start("vfio-user", "--help")
        self.assertEqual(done.returncode, 0)
        for words in ("--socket SOCK", "PCI device", "docs/how-to/vfio-user.md"):
            self.assertIn(words, done.stdout)


if __name__ == "__main__":
    unittest.main()
