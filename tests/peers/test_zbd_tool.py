"""The zbd tool of libzbd on a zoned drive in a guest: D."""
import re
import unittest

from suites import GuestCase, needs, takes_long
from test_linux import ZONED

TELL = """# How many zones are in a state, or at all.
zones() { zbd report -n ${1:+-ro $1} D | grep -o '^[0-9]*'; }
"""
CASES = {
    "info": "zbd report -i D | grep -q host-managed", "count": "test $(zones) = $((51200 * 512 / ZONE))",
    "capacity": 'test "$(zbd report -c D)" = "26214400 B total zone capacity"', "all_empty": "test $(zones em) = $(zones)",
    "none_conventional": "test $(zones nw) = 0", "open": "zbd open -ofst $ZONE -len $((2 * ZONE)) D && test $(zones oe) = 2",
    "open_too_many": "! zbd open -ofst 0 -len $((7 * ZONE)) D", "open_at_most": "test $(zones oe) = 6",
    "close": "dd if=/dev/urandom of=D bs=64k count=1 oflag=direct && zbd close -len $((6 * ZONE)) D && test $(zones oe) = 0",
    "closed": "test $(zones cl) = 6", "close_all": "zbd close D",
    "implicitly_open": "dd if=/dev/urandom of=D bs=64k count=1 seek=16 oflag=direct && test $(zones oi) = 1",
    "finish": "zbd finish -ofst $((3 * ZONE)) -len $ZONE D && test $(zones fu) = 1",
    "dump": "mkdir -p /tmp/dump && head -c 65536 D > /tmp/a && zbd dump -d /tmp/dump -f d D",
    "reset": "zbd reset -ofst $((3 * ZONE)) -len $ZONE D && test $(zones fu) = 0",
    "reset_all": "zbd reset D && test $(zones em) = $(zones) && head -c 65536 D | cmp - /tmp/z",
    "restore": "zbd restore -d /tmp/dump -f d D && head -c 65536 D | cmp - /tmp/a",
    "write_behind_the_pointer": "! dd if=/tmp/z of=D bs=4k count=1 seek=40 oflag=direct",
}


class ZbdTool(GuestCase):
    @needs("apt-get")
    @takes_long(5)
    def test_suite(self):
        files = self.unpacked("zbd-utils", "libzbd2")
        library = next(files.glob("usr/lib/*/libzbd.so*")).parent
        tell, *commands = (re.sub(r"\bD\b", "/dev/nvme0n1", text) for text in (TELL, *CASES.values()))
        self.run_cases("zbd_tool", dict(zip(CASES, commands)),
                       f"export PATH=$PATH:{files}/usr/bin LD_LIBRARY_PATH={library} ZONE=524288\n{tell}"
                       "head -c 65536 /dev/zero > /tmp/z\n", sets=ZONED)


if __name__ == "__main__":
    unittest.main()
