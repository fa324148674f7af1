"""The zbd tool of libzbd on a zoned drive in a guest: D."""
import re
import unittest

from suites import GuestSuite, needs, takes_long
from test_linux import ZONED

ZONE = 524288
CASES = {
    "info": "zbd report -i D | grep -qi host-managed", "count": 'test "$(zbd report -n D)" -gt 10',
    "capacity": f'test "$(zbd report -c D)" = $(($(zbd report -n D) * {ZONE}))',
    "all_empty": 'test "$(zbd report -n -ro em D)" = "$(zbd report -n D)"',
    "none_conventional": 'test "$(zbd report -n -ro nw D)" = 0',
    "open": f'zbd open -ofst {ZONE} -len {2 * ZONE} D && test "$(zbd report -n -ro oe D)" = 2',
    "open_too_many": f'! zbd open -ofst 0 -len {7 * ZONE} D', "open_at_most": 'test "$(zbd report -n -ro oe D)" = 6',
    "close": 'dd if=/dev/urandom of=D bs=64k count=1 oflag=direct && zbd close D && test "$(zbd report -n -ro oe D)" = 0',
    "closed": 'test "$(zbd report -n -ro cl D)" = 1',
    "implicitly_open": f'dd if=/dev/urandom of=D bs=64k count=1 seek={2 * ZONE >> 16} oflag=direct && '
                       'test "$(zbd report -n -ro oi D)" = 1',
    "finish": f'zbd finish -ofst {3 * ZONE} -len {ZONE} D && test "$(zbd report -n -ro fu D)" = 1',
    "dump": "mkdir -p /tmp/dump && head -c 65536 D > /tmp/a && zbd dump -d /tmp/dump D",
    "reset": f'zbd reset -ofst {3 * ZONE} -len {ZONE} D && test "$(zbd report -n -ro fu D)" = 0',
    "reset_all": 'zbd reset D && test "$(zbd report -n -ro em D)" = "$(zbd report -n D)" && head -c 65536 D | cmp - /tmp/z',
    "restore": "zbd restore -d /tmp/dump D && head -c 65536 D | cmp - /tmp/a",
    "restored_states": 'test "$(zbd report -n -ro fu D)" = 1 && test "$(zbd report -n -ro em D)" = $(($(zbd report -n D) - 3))',
    "write_behind_the_pointer": "! dd if=/tmp/z of=D bs=4k count=1 seek=5 oflag=direct",
}


class ZbdTool(GuestSuite):
    @takes_long(5)
    @needs("apt-get")
    def test_suite(self):
        files = self.unpacked("zbd-utils", "libzbd2")
        library = next(files.glob("usr/lib/*/libzbd.so*")).parent
        cases = {name: re.sub(r"\bD\b", "/dev/nvme0n1", command) for name, command in CASES.items()}
        self.run_cases("zbd_tool", cases, f"export PATH=$PATH:{files}/usr/bin LD_LIBRARY_PATH={library}\n"
                       "head -c 65536 /dev/zero > /tmp/z\n", sets=ZONED)


if __name__ == "__main__":
    unittest.main()
