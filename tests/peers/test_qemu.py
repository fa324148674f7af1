"""QEMU's vfio-user-pci (of 10.1 on) with Linux's NVMe driver in the guest, against `flashloom vfio-user`.

QEMU, the kernel and the guest's programs are those of this machine, or of the folder $FLASHLOOM_QEMU_ROOT, as made by

    debootstrap --variant=minbase --include=qemu-system-x86,linux-image-cloud-amd64,fio,nvme-cli,e2fsprogs sid FOLDER

Its programs run with its own loader and libraries; nothing needs to be root."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

from suites import PROGRAM, ProgramCase, takes_long

CAPACITY = 26214400  # of tiny
ROOT = pathlib.Path(os.environ.get("FLASHLOOM_QEMU_ROOT", "/"))
PATH = f"{ROOT}/usr/bin:{ROOT}/usr/sbin" if ROOT.name else f"{os.environ['PATH']}:/usr/sbin"
LIBRARIES = ROOT / "lib/x86_64-linux-gnu"
LOADER = [ROOT / "lib64/ld-linux-x86-64.so.2", "--library-path", f"{LIBRARIES}:{LIBRARIES}/ceph"]  # Debian's fio has Ceph's
GUEST = "sh cat cmp dd grep head mount seq sha256sum sleep umount blkdiscard e2fsck fio mke2fs nvme".split()

BEGIN = """#!/bin/sh
export PATH=/bin
mount -t devtmpfs none /dev; mount -t proc none /proc; mount -t sysfs none /sys; mount -t tmpfs none /tmp
D=/dev/nvme0n1
there() { for i in $(seq 100); do test -b $D && return; sleep 0.1; done; return 1; }
there; A=$(cat /sys/class/nvme/nvme0/address); P=/sys/bus/pci/devices/$A
"""
FIO = "fio --name=j --filename=$D --direct=1 --rw=randwrite --verify=crc32c --iodepth=32 --numjobs=4 --size=5m " \
      "--offset_increment=6m"
READ = "dd if=$D of=/dev/null bs=64k count=32 iflag=direct"
FILES = "mount $D /mnt && (cd /mnt && sha256sum --quiet -c sums) && umount /mnt && e2fsck -f -n $D"
FIRST = {
    "size": f"test $(cat /sys/block/nvme0n1/size) = {CAPACITY // 512}",
    "queues": "test $(grep -c 'nvme0q[1-4]$' /proc/interrupts) = 4",
    "list": "nvme list | grep -q 'FL00000001 *tiny'",
    "id_ctrl": f"nvme id-ctrl /dev/nvme0 | grep -q '^tnvmcap *: {CAPACITY}$'",
    "smart_log": "nvme smart-log /dev/nvme0 | grep -q '^critical_warning.*: 0$'",
    "fio_io_uring": f"{FIO} --ioengine=io_uring",
    "discard": f"blkdiscard -f $D && cmp -n {CAPACITY} $D /dev/zero",
    "reset": f"{FIO} --ioengine=libaio --loops=2 & for i in 1 2 3; do sleep 1; nvme reset /dev/nvme0 || exit; done; wait $!",
    "bind": f"cd $P/driver; echo $A > unbind && ! test -b $D && echo $A > bind && there && {READ}",
    "rescan": f"echo 1 > $P/remove && ! test -b $D && echo 1 > /sys/bus/pci/rescan && there && {READ}",
    "files": "mke2fs -q -F -t ext4 -j $D && mount $D /mnt && (cd /mnt && for i in $(seq 20); do "
             f"head -c $((i * 30000)) /dev/urandom > f$i; done && sha256sum f* > sums) && umount /mnt && {FILES}",
}
RESET_IN_IO = """mount $D /mnt; echo io begins
while dd if=/dev/urandom of=/mnt/more bs=64k count=64 oflag=direct conv=notrunc 2> /dev/null; do :; done &
sleep 4; echo b > /proc/sysrq-trigger; sleep 60
"""


def find(name):
    return shutil.which(name, path=PATH)


def said(*command):
    return subprocess.run([*LOADER, *command], capture_output=True, text=True, check=False).stdout


def kernels():
    """Paths of those that need no modules."""
    return [ROOT / f"boot/vmlinuz-{folder.name}" for folder in (ROOT / "usr/lib/modules").glob("*")
            if os.access(ROOT / f"boot/vmlinuz-{folder.name}", os.R_OK) and
            all(f"/{name}.ko" in (folder / "modules.builtin").read_text(encoding="utf-8") for name in ("nvme", "ext4"))]


def why_not():
    missing = [name for name in ("qemu-system-x86_64", *GUEST) if find(name) is None]
    if not missing and "vfio-user-pci" not in said(find("qemu-system-x86_64"), "-device", "help"):
        missing = ["vfio-user-pci in this QEMU"]
    missing = missing or ([] if kernels() else ["a readable kernel with NVMe and ext4"])
    return f"not there: {', '.join(missing)} (FLASHLOOM_QEMU_ROOT)" if missing else ""


def initramfs(init):
    """Archive (cpio, newc) of the guest's programs, their libraries and a script."""
    paths = {f"bin/{name}": find(name) for name in GUEST} | {"lib64/ld-linux-x86-64.so.2": LOADER[0]}
    for name in GUEST:
        paths |= {f"lib/x86_64-linux-gnu/{os.path.basename(path)}": path for path in
                  re.findall(r"=> (/\S+)", said("--list", find(name)))}
    entries = [(name, 0o40755, b"") for name in "bin dev etc lib lib/x86_64-linux-gnu lib64 mnt proc sys tmp".split()]
    entries += [(name, 0o100755, pathlib.Path(path).read_bytes()) for name, path in paths.items()]
    archive = []
    for name, mode, data in (*entries, ("init", 0o100755, init.encode()), ("TRAILER!!!", 0, b"")):
        fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + "".join(f"{field:08x}" for field in fields).encode() + name.encode() + b"\0"
        archive += head, bytes(-len(head) % 4), data, bytes(-len(data) % 4)
    return b"".join(archive)


WHY_NOT = why_not()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Qemu(ProgramCase):
    def begin(self, command, **more):
        process = subprocess.Popen(command, cwd=self.scratch, stdin=subprocess.DEVNULL, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def serve(self, *more):
        return self.begin([PROGRAM, "vfio-user", "tiny", "--quiet", "--socket", "s", "--set", "host.queues=4", *more])

    def boot(self, cases, end="echo o > /proc/sysrq-trigger; sleep 60", kill_at=0, memory="memfd,share=on"):
        """A guest that runs {case: command}, which must end with 0, and then the end; with kill_at, QEMU dies two seconds
        after the guest's so many-th "io begins"."""
        self.file("initramfs", initramfs(BEGIN + "".join(
            f"({command}\n) > /tmp/said 2>&1; c=$?; test $c = 0 || cat /tmp/said; echo {case}: $c\n"
            for case, command in cases.items()) + end))
        console = self.scratch / "console"
        with open(console, "wb") as log:
            qemu = self.begin(
                [*LOADER, find("qemu-system-x86_64"), "-L", ROOT / "usr/share/qemu", "-L", ROOT / "usr/share/seabios",
                 "-machine", "q35,accel=tcg,memory-backend=m", "-m", "1G", "-smp", "4", "-nodefaults", "-display", "none",
                 "-object", f"memory-backend-{memory},id=m,size=1G", "-kernel", kernels()[0], "-initrd", "initramfs",
                 "-append", "console=ttyS0 quiet panic=-1", "-serial", "stdio",
                 "-device", '{"driver": "vfio-user-pci", "socket": {"type": "unix", "path": "s"}}'], stdout=log, stderr=log)
        last = time.monotonic() + 600
        while qemu.poll() is None and time.monotonic() < last and not (
                kill_at and console.read_text(errors="replace").count("io begins") == kill_at):
            time.sleep(0.1)
        time.sleep(2)
        text = console.read_text(errors="replace")
        self.assertEqual(qemu.poll(), None if kill_at else 0, text)
        qemu.kill()
        found = re.findall(r"^(\w+): (\d+)\r*$", text, re.MULTILINE)
        self.assertEqual(found, [(case, "0") for case in cases] * max(kill_at, 1), text)

    @takes_long(100)
    def test_a_guest_works_with_the_drive(self):
        server = self.serve("--save-state", "s.state", "--out", "out")
        self.boot(FIRST)
        self.boot({"files": FILES}, RESET_IN_IO, kill_at=2)  # machine reset, then QEMU's death, both with I/O in flight
        self.boot({"files": FILES})
        server.terminate()
        self.assertEqual(server.wait(), 0)
        result = json.loads((self.scratch / "out/result.json").read_text())
        self.assertEqual((result["verify"]["mismatches"], result["vfio_user"]["refused"]), (0, 0))
        self.serve("--state", "s.state")
        self.boot({"files": FILES}, memory="ram")  # reached by messages


if __name__ == "__main__":
    unittest.main()
