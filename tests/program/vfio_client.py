"""A minimal client of vfio-user with a driver of NVMe, for tests of `flashloom vfio-user`.

Layouts: QEMU, docs/interop/vfio-user.rst; NVM Express Base Specification 1.4."""
import array
import mmap
import os
import select
import socket
import struct

VERSION, DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO, GET_IRQ_INFO, SET_IRQS = 1, 2, 3, 4, 5, 7, 8
REGION_READ, REGION_WRITE, DMA_READ, DMA_WRITE, RESET = 9, 10, 11, 12, 13
BAR0, CONFIGURATION, MSIX = 0, 7, 2
DATA_NONE, DATA_BOOL, DATA_EVENTFD, MASK, UNMASK, TRIGGER = 1, 2, 4, 8, 16, 32
FLUSH, WRITE, READ, DATASET_MANAGEMENT = 0x00, 0x01, 0x02, 0x09
PAGE = 4096
BASE = 0x10000000  # DMA address of the memory's first byte
TIMEOUT_S = 120


class Refused(Exception):
    """The server has answered with an error; its number is the first argument."""


class VfioClient:
    """One connection. Its memory begins with the admin queues; data pages lie in `pages`, out of order."""

    def __init__(self, path, megabytes=8, shared=True, hello=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT_S)
        self.socket.connect(str(path))
        self.shared = shared
        self.served = 0  # accesses to memory that the server has asked for by messages
        self.file = os.memfd_create("guest")
        self.bytes = megabytes << 20
        os.ftruncate(self.file, self.bytes)
        self.memory = mmap.mmap(self.file, self.bytes)
        self.messages = 0
        self.queues = {}
        self.events = []
        self.free = list(range(64, self.bytes // PAGE))  # pages behind those of the queues
        self.free = self.free[::2] + self.free[1::2]  # no two of them adjoin
        if hello:
            self.agree()
            self.map(BASE, self.bytes)

    def close(self):
        self.socket.close()
        self.memory.close()
        for descriptor in (self.file, *self.events):
            os.close(descriptor)

    # ---- Messages ----

    def send(self, command, body=b"", files=(), flags=0, size=None):
        self.messages = self.messages + 1 & 0xffff
        head = struct.pack("<HHIII", self.messages, command, 16 + len(body) if size is None else size, flags, 0)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        self.socket.sendmsg([head + body], rights)
        return self.messages

    def take(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("the server has closed the connection")
            data += part
        return bytes(data)

    def receive(self):
        """The next reply: number, command, error, body. Serves the server's requests before it."""
        while True:
            number, command, size, flags, error = struct.unpack("<HHIII", self.take(16))
            body = self.take(size - 16)
            if flags & 15 == 1:
                return number, command, error if flags & 32 else 0, body
            self.serve(number, command, body)

    def serve(self, number, command, body):
        self.served += 1
        address, count = struct.unpack_from("<QQ", body)
        at = address - BASE
        data = b""
        if command == DMA_READ:
            data = self.memory[at:at + count]
        else:
            self.memory[at:at + count] = body[16:]
        self.socket.sendall(struct.pack("<HHIII", number, command, 32 + len(data), 1, 0) + body[:16] + data)

    def ask(self, command, body=b"", files=(), size=None):
        """The reply's body; raises Refused."""
        number = self.send(command, body, files, size=size)
        of, replied, error, reply = self.receive()
        assert (of, replied) == (number, command), (of, replied)
        if error:
            assert not reply
            raise Refused(error)
        return reply

    def agree(self, major=0, minor=0, text=b'{"capabilities":{"max_msg_fds":8}}\0'):
        return self.ask(VERSION, struct.pack("<HH", major, minor) + text)

    def map(self, address, count, flags=3, file=None, offset=0):
        files = [self.file if file is None else file] if self.shared else []
        self.ask(DMA_MAP, struct.pack("<IIQQQ", 32, flags, offset, address, count), files)

    def unmap(self, address, count, flags=0):
        return self.ask(DMA_UNMAP, struct.pack("<IIQQ", 24, flags, address, count))

    def read(self, region, offset, count):
        return self.ask(REGION_READ, struct.pack("<QII", offset, region, count))[16:]

    def write(self, region, offset, data):
        self.ask(REGION_WRITE, struct.pack("<QII", offset, region, len(data)) + data)

    def register(self, offset):
        return struct.unpack("<I", self.read(BAR0, offset, 4))[0]

    def region(self, index):
        """Flags and bytes."""
        _, flags, of, _, size, _ = struct.unpack("<IIIIQQ", self.ask(GET_REGION_INFO,
                                                                     struct.pack("<IIIIQQ", 32, 0, index, 0, 0, 0)))
        assert of == index
        return flags, size

    def irqs(self, index):
        """Flags and count."""
        return struct.unpack("<IIII", self.ask(GET_IRQ_INFO, struct.pack("<IIII", 16, 0, index, 0)))[1::2]

    def set_irqs(self, flags, start, count, files=(), data=b"", index=MSIX):
        self.ask(SET_IRQS, struct.pack("<IIIII", 20 + len(data), flags, index, start, count) + data, files)

    # ---- The driver ----

    def start(self, vectors=2):
        """Enables function, MSI-X with an eventfd a vector, and the controller."""
        self.write(CONFIGURATION, 4, struct.pack("<H", 6))  # memory space, bus master
        capability = self.read(CONFIGURATION, 0x34, 1)[0]
        while self.read(CONFIGURATION, capability, 1)[0] != 0x11:
            capability = self.read(CONFIGURATION, capability + 1, 1)[0]
        self.write(CONFIGURATION, capability + 2, struct.pack("<H", 1 << 15))
        self.events = [os.eventfd(0, os.EFD_NONBLOCK) for _ in range(vectors)]
        self.set_irqs(DATA_EVENTFD | TRIGGER, 0, vectors, self.events)
        self.enable()

    def enable(self):
        """Sets up the admin queues and enables the controller."""
        self.queues = {0: Queue(self, 0, 32)}
        self.write(BAR0, 0x24, struct.pack("<I", 31 << 16 | 31))
        self.write(BAR0, 0x28, struct.pack("<Q", BASE + self.queues[0].submission))
        self.write(BAR0, 0x30, struct.pack("<Q", BASE + self.queues[0].completion))
        self.write(BAR0, 0x14, struct.pack("<I", 4 << 20 | 6 << 16 | 1))
        while self.register(0x1c) & 1 == 0:
            pass

    def add_queue(self, number, entries=64, vector=1):
        self.queues[number] = queue = Queue(self, number, entries, vector)
        shape = entries - 1 << 16 | number
        self.admin(0x05, pointer=BASE + queue.completion, dwords=(shape, vector << 16 | 3))
        self.admin(0x01, pointer=BASE + queue.submission, dwords=(shape, number << 16 | 1))

    def admin(self, opcode, pointer=0, name_space=0, dwords=()):
        identifier = self.queues[0].submit(opcode, name_space, (pointer, 0), dwords)
        return self.queues[0].wait(identifier)

    def identify(self, what=1, name_space=0):
        page = self.free.pop()
        self.admin(0x06, BASE + page * PAGE, name_space, (what,))
        data = self.memory[page * PAGE:(page + 1) * PAGE]
        self.free.append(page)
        return data

    def begin(self, queue, opcode, lba, data):
        """Begins a read or write of whole sectors of 512 bytes; `data`: bytes, or their count. Returns its handle."""
        count = data if isinstance(data, int) else len(data)
        pages = [self.free.pop() for _ in range(-(-count // PAGE))]
        if not isinstance(data, int):
            for i, page in enumerate(pages):
                part = data[i * PAGE:(i + 1) * PAGE]
                self.memory[page * PAGE:page * PAGE + len(part)] = part
        pointers = [BASE + page * PAGE for page in pages] + [0]
        lists = []
        if len(pages) > 2:
            lists = [self.free.pop()]
            at = lists[0] * PAGE
            rest = struct.pack(f"<{len(pages) - 1}Q", *pointers[1:-1])
            self.memory[at:at + len(rest)] = rest
            pointers = [pointers[0], BASE + at]
        identifier = self.queues[queue].submit(opcode, 1, pointers[:2], (lba & 0xffffffff, lba >> 32, count // 512 - 1))
        return queue, identifier, pages, lists, count

    def end(self, handle):
        """Waits for it. Returns the data in its pages."""
        queue, identifier, pages, lists, count = handle
        self.queues[queue].wait(identifier)
        data = b"".join(self.memory[page * PAGE:(page + 1) * PAGE] for page in pages)[:count]
        self.free += pages + lists
        return data

    def io(self, opcode, lba, data, queue=1):
        return self.end(self.begin(queue, opcode, lba, data))

    def flush(self, queue=1):
        self.queues[queue].wait(self.queues[queue].submit(FLUSH, 1))

    def trim(self, lba, sectors, queue=1):
        page = self.free.pop()
        self.memory[page * PAGE:page * PAGE + 16] = struct.pack("<IIQ", 0, sectors, lba)
        self.queues[queue].wait(self.queues[queue].submit(DATASET_MANAGEMENT, 1, (BASE + page * PAGE, 0), (0, 4)))
        self.free.append(page)


class Queue:
    """A submission queue with its completion queue."""

    def __init__(self, client, number, entries, vector=0):
        self.client, self.number, self.entries, self.vector = client, number, entries, vector
        assert entries <= 128
        self.submission = number * 4 * PAGE  # offsets in memory
        self.completion = self.submission + 2 * PAGE
        client.memory[self.completion:self.completion + entries * 16] = bytes(entries * 16)
        self.tail = self.head = self.identifier = 0
        self.phase = 1
        self.done = {}
        self.interrupts = 0

    def submit(self, opcode, name_space, pointers=(0, 0), dwords=(), ring=True):
        self.identifier = self.identifier + 1 & 0xffff
        words = [*dwords, *[0] * (6 - len(dwords))]
        entry = struct.pack("<BBHIQQQQ6I", opcode, 0, self.identifier, name_space, 0, 0, *pointers, *words)
        at = self.submission + self.tail * 64
        self.client.memory[at:at + 64] = entry
        self.tail = (self.tail + 1) % self.entries
        if ring:
            self.ring()
        return self.identifier

    def ring(self):
        self.client.write(BAR0, 0x1000 + self.number * 8, struct.pack("<I", self.tail))

    def collect(self):
        """Takes the completions that are there."""
        before = self.head
        while True:
            at = self.completion + self.head * 16
            _, _, _, _, identifier, status = struct.unpack("<IIHHHH", self.client.memory[at:at + 16])
            if status & 1 != self.phase:
                break
            self.done[identifier] = status >> 1 & 0x7ff
            self.head = (self.head + 1) % self.entries
            self.phase ^= self.head == 0
        if self.head != before:
            self.client.write(BAR0, 0x1004 + self.number * 8, struct.pack("<I", self.head))

    def wait(self, identifier):
        """Waits for interrupts until the command is complete. Raises OSError with its status, unless that is success."""
        event = self.client.events[self.vector]
        while identifier not in self.done:
            self.collect()
            if identifier in self.done:
                break
            waited = [event] if self.client.shared else [event, self.client.socket]
            ready = select.select(waited, [], [], TIMEOUT_S)[0]
            assert ready, "no interrupt"
            if event in ready:
                self.interrupts += os.eventfd_read(event)
            else:
                number, command, size, _, _ = struct.unpack("<HHIII", self.client.take(16))
                self.client.serve(number, command, self.client.take(size - 16))
        status = self.done.pop(identifier)
        if status != 0:
            raise OSError(status, "NVMe status")
