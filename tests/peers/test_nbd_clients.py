"""Clients of libnbd, nbdkit and QEMU against `flashloom nbd`: each case has a new drive of its own."""
import os
import random
import subprocess
import unittest

from suites import FAILED, NOT_RUNNABLE, PASSED, PROGRAM, SuiteCase, needs, takes_long

CAPACITY = 26214400  # of tiny
CAN = ("cache", "fast-zero", "flush", "fua", "multi-conn", "read", "trim", "write", "zero", "structured-reply", "df")
IS_NOT = ("read-only", "rotational", "tls")
# In nbdsh, where h is the connection. refused(error, function, arguments): it must fail so.
SHELL = """
import os
def refused(wanted, function, *arguments, **names):
    try:
        function(*arguments, **names)
    except nbd.Error as error:
        assert error.errno == wanted, error
    else:
        assert False, "accepted"
"""
NBDSH = {
    "size": f"assert h.get_size() == {CAPACITY}",
    "block_sizes": "assert [h.get_block_size(n) for n in (nbd.SIZE_MINIMUM, nbd.SIZE_PREFERRED, nbd.SIZE_MAXIMUM)] == "
                   "[512, 4096, 32 << 20]",
    "structured_replies": "assert h.get_structured_replies_negotiated()",
    "write_and_read": "a = os.urandom(65536)\nh.pwrite(a, 4096)\nassert h.pread(65536, 4096) == a",
    "one_sector": "h.pwrite(b'a' * 512, 512)\nassert h.pread(1536, 0) == bytes(512) + b'a' * 512 + bytes(512)",
    "fua": "h.pwrite(b'a' * 4096, 0, nbd.CMD_FLAG_FUA)\nassert h.pread(4096, 0) == b'a' * 4096",
    "flush": "h.pwrite(b'a' * 4096, 0)\nh.flush()",
    "trim": "h.pwrite(b'a' * 16384, 0)\nh.trim(8192, 4096)\n"
            "assert h.pread(16384, 0) == b'a' * 4096 + bytes(8192) + b'a' * 4096",
    "trim_with_fua": "h.pwrite(b'a' * 4096, 0)\nh.trim(4096, 0, nbd.CMD_FLAG_FUA)\nassert h.pread(4096, 0) == bytes(4096)",
    "zero": "h.pwrite(b'a' * 4096, 0)\nh.zero(1024, 512)\nassert h.pread(2048, 0) == b'a' * 512 + bytes(1024) + b'a' * 512",
    "zero_no_hole": "h.pwrite(b'a' * 4096, 0)\nh.zero(4096, 0, nbd.CMD_FLAG_NO_HOLE)\nassert h.pread(4096, 0) == bytes(4096)",
    "zero_fast": "h.pwrite(b'a' * 4096, 0)\nh.zero(4096, 0, nbd.CMD_FLAG_FAST_ZERO)\nassert h.pread(4096, 0) == bytes(4096)",
    "zero_with_fua": "h.pwrite(b'a' * 4096, 0)\nh.zero(4096, 0, nbd.CMD_FLAG_FUA)\nassert h.pread(4096, 0) == bytes(4096)",
    "zero_all": "h.pwrite(b'a' * 4096, 0)\nh.zero(h.get_size(), 0)\nassert h.pread(h.get_size(), 0) == bytes(h.get_size())",
    "cache": "h.pwrite(b'a' * 4096, 0)\nh.cache(65536, 0)\nassert h.pread(4096, 0) == b'a' * 4096",
    "read_all": "assert h.pread(h.get_size(), 0) == bytes(h.get_size())",
    "read_in_chunks": "h.pwrite(b'a' * 4096, 4096)\nseen = bytearray(12288)\n"
                      "def chunk(data, offset, status, error): seen[offset:offset + len(data)] = data\n"
                      "h.pread_structured(12288, 0, chunk)\nassert seen == bytes(4096) + b'a' * 4096 + bytes(4096)",
    "read_in_one_chunk": "chunks = []\nh.pread_structured(65536, 0, lambda data, *rest: chunks.append(len(data)), "
                         "nbd.CMD_FLAG_DF)\nassert chunks == [65536]",
    "read_behind_the_end": "h.set_strict_mode(0)\nrefused('EINVAL', h.pread, 4096, h.get_size())",
    "write_behind_the_end": "h.set_strict_mode(0)\nrefused('ENOSPC', h.pwrite, bytes(4096), h.get_size())",
    "write_across_the_end": "h.set_strict_mode(0)\nrefused('ENOSPC', h.pwrite, bytes(8192), h.get_size() - 4096)",
    "trim_behind_the_end": "h.set_strict_mode(0)\nrefused('EINVAL', h.trim, 4096, h.get_size())",
    "zero_behind_the_end": "h.set_strict_mode(0)\nrefused('ENOSPC', h.zero, 4096, h.get_size())",
    "cache_behind_the_end": "h.set_strict_mode(0)\nrefused('EINVAL', h.cache, 4096, h.get_size())",
    "unaligned_read": "h.set_strict_mode(0)\nrefused('EINVAL', h.pread, 100, 1)",
    "unaligned_write": "h.set_strict_mode(0)\nrefused('EINVAL', h.pwrite, bytes(100), 512)",
    "unknown_flag": "h.set_strict_mode(0)\nrefused('EINVAL', h.pread, 512, 0, 1 << 15)",
    "after_an_error_it_goes_on": "h.set_strict_mode(0)\nrefused('EINVAL', h.pread, 4096, h.get_size())\nh.pread(512, 0)",
    "64_in_flight": "blocks = [os.urandom(4096) for _ in range(640)]\n"
                    "for n, block in enumerate(blocks):\n"
                    "    while h.aio_in_flight() >= 64: h.poll(-1)\n"
                    "    h.aio_pwrite(nbd.Buffer.from_bytearray(bytearray(block)), n * 4096)\n"
                    "while h.aio_in_flight(): h.poll(-1)\n"
                    "assert h.pread(640 * 4096, 0) == b''.join(blocks)",
    "two_connections": "other = nbd.NBD()\nother.connect_uri(os.environ['uri'])\nassert h.can_multi_conn()\n"
                       "h.pwrite(b'a' * 4096, 0)\nh.flush()\nassert other.pread(4096, 0) == b'a' * 4096\nother.shutdown()",
    "options": "other = nbd.NBD()\nother.set_opt_mode(True)\nother.connect_uri(os.environ['uri'])\n"
               "names = []\nother.opt_list(lambda name, text: names.append(name))\nassert names == ['']\nother.opt_info()\n"
               f"assert other.get_size() == {CAPACITY}\nother.opt_go()\nother.pread(512, 0)\nother.shutdown()",
    "extents": "other = nbd.NBD()\nother.add_meta_context(nbd.CONTEXT_BASE_ALLOCATION)\n"
               "other.connect_uri(os.environ['uri'])\nassert other.can_meta_context(nbd.CONTEXT_BASE_ALLOCATION)\n"
               "other.pwrite(b'a' * 4096, 0)\nseen = []\n"
               "other.block_status(1 << 20, 0, lambda name, offset, entries, error: seen.extend(entries))\n"
               "assert seen[:2] == [4096, 0] and seen[3] & nbd.STATE_ZERO, seen",
    "tls": "other = nbd.NBD()\nother.set_tls(nbd.TLS_REQUIRE)\nother.connect_uri(os.environ['uri'])",
}
IN = 'nbdcopy {} image "$uri"'
OUT = 'nbdcopy {} "$uri" back && cmp -n 4194304 image back && test $(stat -c %s back) = ' + str(CAPACITY)
OPTIONS = {"": "", "connections": "--connections=4 --requests=16 --threads=2", "synchronous": "--synchronous",
           "flush": "--flush", "sparse": "--sparse=4096", "not_sparse": "--sparse=0", "allocated": "--allocated",
           "no_extents": "--no-extents", "request_size": "--request-size=1048576"}
QEMU = {
    "info": f'qemu-img info --output=json -f raw "$uri" | grep -q {CAPACITY}',
    "measure": 'qemu-img measure -f raw -O qcow2 "$uri"',
    "map": 'qemu-img map -f raw "$uri"',
    "convert_in": 'qemu-img convert -n -f raw -O raw image "$uri" && nbdcopy "$uri" back && cmp -n 4194304 image back',
    "convert_out": IN.format("") + ' && qemu-img convert -f raw -O raw "$uri" back && cmp -n 4194304 image back',
    "convert_out_of_order": IN.format("") + ' && qemu-img convert -W -m 16 -f raw -O raw "$uri" back && cmp -n 4194304 image back',
    "convert_qcow2": IN.format("") + ' && qemu-img convert -c -f raw -O qcow2 "$uri" c && qemu-img check c && '
                     'qemu-img compare -f qcow2 -F raw c "$uri"',
    "compare": IN.format("") + ' && qemu-img compare -f raw -F raw image "$uri"',
    "compare_finds": IN.format("") + ' && printf a | dd of=image bs=1 seek=3000000 conv=notrunc && '
                     '{ qemu-img compare -f raw -F raw image "$uri"; test $? = 1; }',
    "dd": 'qemu-img dd -f raw -O raw bs=64k count=64 if="$uri" of=back && cmp -n 4194304 /dev/zero back',
    "bench_read": 'qemu-img bench -f raw -c 2000 -d 16 -s 4096 "$uri"',
    "bench_write": 'qemu-img bench -f raw -w -c 2000 -d 16 -s 4096 --pattern=90 "$uri" && '
                   'qemu-io -f raw -c "read -P 90 0 8192000" "$uri" | grep -qv failed',
    "bench_flush": 'qemu-img bench -f raw -w -c 500 -d 8 -s 4096 --flush-interval=8 "$uri"',
    "io_discard": 'qemu-io -f raw -d unmap -c "write -P 90 0 1M" -c "discard 0 512k" -c "read -P 0 0 512k" '
                  '-c "read -P 90 512k 512k" "$uri" > o && ! grep -i fail o',
    "io_zeroes": 'qemu-io -f raw -d unmap -c "write -P 90 0 1M" -c "write -z 0 256k" -c "write -z -u 256k 256k" '
                 '-c "read -P 0 0 512k" -c "read -P 90 512k 512k" "$uri" > o && ! grep -i fail o',
    "io_fua": 'qemu-io -f raw -c "write -f -P 90 0 64k" -c flush -c "read -P 90 0 64k" "$uri" > o && ! grep -i fail o',
    "io_unaligned": 'qemu-io -f raw -c "write -P 90 100 1000" -c "read -P 0 0 100" -c "read -P 90 100 1000" "$uri" > o && '
                    '! grep -i fail o',
    "io_aio": 'qemu-io -f raw -c "aio_write -P 1 0 64k" -c "aio_write -P 2 64k 64k" -c aio_flush -c "read -P 1 0 64k" '
              '-c "read -P 2 64k 64k" "$uri" > o && ! grep -i fail o',
}
NBDKIT = {
    "proxy": 'nbdkit -U - nbd uri="$uri" --run \'nbdcopy image "$uri" && nbdcopy "$uri" back\' && cmp -n 4194304 image back',
    "cow": IN.format("") + ' && nbdkit -U - --filter=cow nbd uri="$uri" --run \'nbdcopy -- [ nbdkit --exit-with-parent pattern 4M ] '
           '"$uri"\' && ' + OUT.format(""),
    "cache": 'nbdkit -U - --filter=cache nbd uri="$uri" --run \'nbdcopy --flush image "$uri"\' && ' + OUT.format(""),
    "blocksize": 'nbdkit -U - --filter=blocksize nbd uri="$uri" maxdata=4k --run \'nbdcopy image "$uri"\' && ' + OUT.format(""),
    "pattern": 'nbdcopy -- [ nbdkit --exit-with-parent pattern 25M ] "$uri" && nbdcopy "$uri" back && '
               'nbdcopy -- [ nbdkit --exit-with-parent pattern 25M ] wanted && cmp back wanted',
}
CASES = (
    {f"nbdinfo.can_{name}": f'nbdinfo --can {name} "$uri"' for name in CAN} |
    {f"nbdinfo.is_not_{name}": f'nbdinfo --is {name} "$uri"; test $? = 2' for name in IS_NOT} |
    {"nbdinfo.size": f'test "$(nbdinfo --size "$uri")" = {CAPACITY}', "nbdinfo.list": 'nbdinfo --list "$uri"',
     "nbdinfo.map": 'nbdinfo --map "$uri"'} |
    {f"nbdcopy.in{'_' * bool(name)}{name}": f"{IN.format(words)} && {OUT.format('')}" for name, words in OPTIONS.items()} |
    {f"nbdcopy.out{'_' * bool(name)}{name}": f"{IN.format('')} && {OUT.format(words)}" for name, words in OPTIONS.items()} |
    {"nbdcopy.to_null": 'nbdcopy "$uri" null:', "nbdcopy.pipe": 'nbdcopy - "$uri" < image && ' + OUT.format("")} |
    {f"qemu.{name}": command for name, command in QEMU.items()} |
    {f"nbdkit.{name}": command for name, command in NBDKIT.items()})


@needs("nbdkit", "nbdinfo", "nbdcopy", "qemu-img", "qemu-io", "apt-get")
class NbdClients(SuiteCase):
    def answer(self, environment, command):
        """Whether a command ends with 0 while the drive is served, and the server after it."""
        done = subprocess.run([PROGRAM, "nbd", "tiny", "--quiet", "--run", command], cwd=self.scratch, env=environment,
                              capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            print(f"{command}\n{done.stdout[-500:]}{done.stderr[-500:]}")
        return PASSED if done.returncode == 0 else FAILED

    @takes_long(28)
    def test_suite(self):
        python = self.unpacked("python3-libnbd")
        environment = os.environ | {"PYTHONPATH": str(python / "usr/lib/python3/dist-packages")}
        found = {}
        for name, command in CASES.items():
            self.file("image", random.Random(name).randbytes(4 << 20))
            found[name] = self.answer(environment, command)
        for name, code in NBDSH.items():
            self.file("commands", SHELL + code)
            found[f"nbdsh.{name}"] = self.answer(environment, '/usr/bin/python3 -m nbd -u "$uri" -c "$(cat commands)"')
        self.judge("nbd_clients", found)


if __name__ == "__main__":
    unittest.main()
