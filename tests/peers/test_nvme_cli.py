"""nvme-cli's commands in a guest, against the tables of the NVM Express Base Specification 1.4 and the device file."""
import json
import re
import unittest

from suites import FAILED, PASSED, GuestCase, needs, takes_long

SECTORS, SECTOR = 51200, 512  # of tiny
OPCODE, FIELD, BAD_NAMESPACE, LBA_RANGE, LOG = 0x1, 0x2, 0xb, 0x80, 0x109
MISMATCH, UNRECOVERED, FORMAT = 0x285, 0x281, 0x10a
# Section 5.14: (feature, is it there), of an I/O controller with this device file; 05h is of a namespace.
FEATURES = {feature: feature in {1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 0x80} for feature in
            (*range(0x01, 0x19), 0x1d, 0x1e, *range(0x80, 0x85), 0xc0)}
LOGS = {log: log in {1, 2, 3, 4, 5, 6, 0x81, 0xc0} for log in
        (*range(0x10), 0x20, 0x21, 0x22, 0x23, 0x70, 0x80, 0x81, 0xc0, 0xca)}
# name: (command, status or 0). Of /dev/nvme0 (C) and its namespace (N).
COMMANDS = {
    "list-subsys": ("nvme list-subsys", 0), "list-ns": ("nvme list-ns C", 0), "list-ctrl": ("nvme list-ctrl C", 0),
    "ns-descs": ("nvme ns-descs N", 0), "get-ns-id": ("nvme get-ns-id N", 0),
    "changed-ns-list-log": ("nvme changed-ns-list-log C", 0),
    "self-test-log": ("nvme self-test-log C", 0), "sanitize-log": ("nvme sanitize-log C", 0),
    "ocp": ("nvme ocp smart-add-log C", 0), "ns-rescan": ("nvme ns-rescan C", 0),
    # Offered after NVMe 1.4, or for what the controller is not.
    "nvm-id-ctrl": ("nvme nvm-id-ctrl C", FIELD), "cmdset-ind-id-ns": ("nvme cmdset-ind-id-ns N", FIELD),
    "primary-ctrl-caps": ("nvme primary-ctrl-caps C", FIELD), "list-secondary": ("nvme list-secondary C", FIELD),
    "id-nvmset": ("nvme id-nvmset C", FIELD), "id-uuid": ("nvme id-uuid C", FIELD), "id-iocs": ("nvme id-iocs C", FIELD),
    "list-endgrp": ("nvme list-endgrp C", FIELD), "identify-reserved": ("nvme admin-passthru C -o 6 -4 0x55 -l 4096 -r", FIELD),
    "admin-vendor": ("nvme admin-passthru C -o 0xc5", OPCODE), "io-vendor": ("nvme io-passthru N -o 0xc5 -n 1", OPCODE),
    # OACS
    "security-recv": ("nvme security-recv C --secp=0 -s 0 -x 16", OPCODE), "sanitize": ("nvme sanitize C -a 2", OPCODE),
    "fw-download": ("nvme fw-download C -f /tmp/a", OPCODE), "fw-commit": ("nvme fw-commit C -s 1 -a 1", OPCODE),
    "dir-receive": ("nvme dir-receive N -D 0 -O 1 -l 4096", OPCODE), "virt-mgmt": ("nvme admin-passthru C -o 0x1c", OPCODE),
    "get-lba-status": ("nvme get-lba-status N --max-dw 8 --action 17 --range-len 1", OPCODE),
    "device-self-test": ("nvme device-self-test C -s 1", 0),
    "self-test-ends": ("sleep 300; nvme self-test-log C | head -5 | grep -q 'Operation Result *: 0$'", 0),
    # ONCS
    "write": ("nvme write N -s 16 -c 15 -z 8192 -d /tmp/a", 0),
    "read": ("nvme read N -s 16 -c 15 -z 8192 -d /tmp/b && cmp /tmp/a /tmp/b", 0),
    "write-fua": ("nvme write N -s 16 -c 15 -z 8192 -d /tmp/a -f", 0),
    "compare": ("nvme compare N -s 16 -c 15 -z 8192 -d /tmp/a", 0),
    "compare-differs": ("nvme compare N -s 16 -c 15 -z 8192 -d /tmp/z", MISMATCH), "verify": ("nvme verify N -s 16 -c 15", 0),
    "write-zeroes": ("nvme write-zeroes N -s 16 -c 7", 0),
    "zeroes": ("nvme read N -s 16 -c 7 -z 4096 -d /tmp/b && cmp -n 4096 /tmp/z /tmp/b", 0),
    "zeroes-no-more": ("nvme compare N -s 24 -c 7 -z 4096 -d /tmp/half", 0), "dsm": ("nvme dsm N --ad -s 24 -b 8", 0),
    "dsm-reads-zeroes": ("nvme compare N -s 24 -c 7 -z 4096 -d /tmp/z", 0), "flush": ("nvme flush N -n 1", 0),
    "flush-all": ("nvme flush N -n 0xffffffff", 0),
    "write-uncor": ("nvme write-uncor N -s 64 -c 7", 0),
    "uncorrectable": ("nvme read N -s 64 -c 7 -z 4096 -d /tmp/b", UNRECOVERED),
    "correctable-again": ("nvme write N -s 64 -c 7 -z 4096 -d /tmp/a && nvme read N -s 64 -c 7 -z 4096 -d /tmp/b", 0),
    "copy": ("nvme copy N --sdlba=128 --slbs=16 --blocks=7", OPCODE), "resv-report": ("nvme resv-report N", OPCODE),
    "resv-register": ("nvme resv-register N --nrkey=1 --rrega=0", OPCODE),
    # Limits
    "read-last": (f"nvme read N -s {SECTORS - 1} -c 0 -z 512 -d /tmp/b", 0),
    "read-behind": (f"nvme read N -s {SECTORS} -c 0 -z 512 -d /tmp/b", LBA_RANGE),
    "write-across": (f"nvme write N -s {SECTORS - 1} -c 1 -z 1024 -d /tmp/a", LBA_RANGE),
    "verify-behind": (f"nvme verify N -s {SECTORS} -c 0", LBA_RANGE),
    "write-zeroes-behind": (f"nvme write-zeroes N -s {SECTORS} -c 0", LBA_RANGE),
    "dsm-behind": (f"nvme dsm N --ad -s {SECTORS} -b 8", LBA_RANGE),
    "wrong-namespace": ("nvme io-passthru C -o 0 -n 17", BAD_NAMESPACE),
    "id-wrong-namespace": ("nvme id-ns C -n 17", BAD_NAMESPACE),
    # Features: what can be saved and changed.
    "set-feature": ("nvme set-feature C -f 4 -v 0x150 && nvme get-feature C -f 4 | grep -q 0x00000150", 0),
    "set-feature-save": ("nvme set-feature C -f 4 -v 0x151 -s && nvme get-feature C -f 4 -s 2 | grep -q 0x00000151", 0),
    "default-feature": ("nvme get-feature C -f 4 -s 1 | grep -q 0x00000157", 0),
    "set-unknown": ("nvme set-feature C -f 0x18 -v 1", FIELD),
    # What ends what is there.
    "format": ("nvme format N -s 1 --force", 0), "formatted": ("nvme compare N -s 64 -c 7 -z 4096 -d /tmp/z", 0),
    "format-wrong": ("nvme admin-passthru C -o 0x80 -n 1 -4 5", FORMAT),
    "reset": ("nvme reset C && nvme read N -s 0 -c 0 -z 512 -d /tmp/b", 0),
    "subsystem-reset": ("nvme subsystem-reset C 2>&1 | grep -q 'not supported'", 0),  # CAP.NSSRS 0
}
JSON = {"id-ctrl": "nvme id-ctrl C", "id-ns": "nvme id-ns N", "list": "nvme list", "smart-log": "nvme smart-log C",
        "error-log": "nvme error-log C -e 64", "fw-log": "nvme fw-log C", "show-regs": "nvme show-regs C"}
# Opcodes (section 5, table of ONCS and OACS): the effects log must name those that the bits promise, and no others.
OACS = {0: (0x81, 0x82), 1: (0x80,), 2: (0x10, 0x11), 3: (0x0d, 0x15), 4: (0x14,), 5: (0x19, 0x1a), 9: (0x86,)}
ONCS = {0: (0x05,), 1: (0x04,), 2: (0x09,), 3: (0x08,), 5: (0x0d, 0x0e, 0x11, 0x15), 7: (0x0c,), 8: (0x19,)}


def values(seen, effects):
    """{case: whether a value is that of the device file or of another table}."""
    control, space, drive, smart = seen["id-ctrl"], seen["id-ns"], seen["list"]["Devices"][0], seen["smart-log"]
    registers = seen["show-regs"]
    named = {kind: {int(code) for code in re.findall(rf"^{kind}(\d+) ", effects, re.MULTILINE)} for kind in ("ACS", "IOCS")}
    promised = {word: {code: bool(seen["id-ctrl"][word] >> bit & 1) for bit, codes in bits.items() for code in codes}
                for word, bits in (("oacs", OACS), ("oncs", ONCS))}
    return {
        "capacity": space["nsze"] == space["ncap"] == drive["MaximumLBA"] == SECTORS,
        "bytes": drive["PhysicalSize"] == SECTORS * SECTOR == int(control["tnvmcap"]),
        "sector": 1 << space["lbafs"][space["flbas"] & 15]["ds"] == SECTOR == drive["SectorSize"],
        "version": control["ver"] == registers["vs"] == 1 << 16 | 4 << 8,
        "entries": (control["sqes"], control["cqes"]) == (0x66, 0x44),
        "max_transfer": control["mdts"] == 7,  # nvme.max_transfer, 512 KiB in pages of 4 KiB
        "atomic_write": control["awun"] + 1 == 8,  # host_interface.atomic_write, by default the mapping unit, in sectors
        "write_cache": control["vwc"] & 1 == 1,
        "queue_entries": registers["cap"] & 0xffff >= 1023 and registers["cap"] >> 16 & 1 == 1,
        "page_4_kib": registers["cap"] >> 48 & 15 == 0,
        "ready": registers["cc"] & 1 == registers["csts"] & 1 == 1,
        "firmware": control["fr"].strip() == "1.0" and "(1.0" in json.dumps(seen["fw-log"]),
        "effects_admin": all((code in named["ACS"]) == there for code, there in promised["oacs"].items()),
        "effects_io": all((code in named["IOCS"]) == there for code, there in promised["oncs"].items()),
        "effects_mandatory": {0, 1, 4, 5, 6, 8, 9, 10, 12, 2} <= named["ACS"] and {0, 1, 2} <= named["IOCS"],
        "health": smart["critical_warning"] == 0 and int(smart["media_errors"]) == 0 and smart["avail_spare"] == 100,
        "health_power": int(smart["power_cycles"]) == 1 and int(smart["unsafe_shutdowns"]) == 0,
        "errors_counted": int(smart["num_err_log_entries"]) == max(e["error_count"] for e in seen["error-log"]["errors"]),
    }


@needs("nvme")
class NvmeCli(GuestCase):
    @takes_long(10)
    def test_suite(self):
        commands = {name: f"{command} -o json" for name, command in JSON.items()} | {"effects-log": "nvme effects-log C"}
        wanted = dict.fromkeys(commands, 0)
        commands |= {f"feature-{n:02x}h": f"nvme get-feature C -f {n} {'-n 1' if n == 5 else ''}" for n in FEATURES}
        wanted |= {f"feature-{n:02x}h": 0 if there else FIELD for n, there in FEATURES.items()}
        commands |= {f"log-{n:02x}h": f"nvme get-log C -i {n} -l 512" for n in LOGS}
        wanted |= {f"log-{n:02x}h": 0 if there else LOG for n, there in LOGS.items()}
        commands |= {name: command for name, (command, _) in COMMANDS.items()}
        wanted |= {name: status for name, (_, status) in COMMANDS.items()}
        script = ("head -c 8192 /dev/urandom > /tmp/a; head -c 8192 /dev/zero > /tmp/z; tail -c 4096 /tmp/a > /tmp/half\n" +
                  "".join("{ " + re.sub(r"\bN\b", "/dev/nvme0n1", re.sub(r"\bC\b", "/dev/nvme0", command)) +
                          f"; }} > /out/{name} 2> /out/{name}.error; echo $? > /out/{name}.code\n"
                          for name, command in commands.items()))
        out, _ = self.boot(script)
        found = {}
        for name, status in wanted.items():
            code = int((out / f"guest/{name}.code").read_text())
            text = (out / f"guest/{name}").read_text() + (out / f"guest/{name}.error").read_text()
            said = re.search(r"\(0x([0-9a-fA-F]+)\)\s*$", text, re.MULTILINE)
            good = code == 0 if status == 0 else code != 0 and said and int(said.group(1), 16) & 0x7ff == status
            if not good:
                print(f"{name}: {commands[name]}: {code}, wanted status {status:#x}: {text[:300]}")
            found[name] = PASSED if good else FAILED
        seen = {name: json.loads((out / "guest" / name).read_text()) for name in JSON}
        found |= {f"value-{name}": PASSED if good else FAILED
                  for name, good in values(seen, (out / "guest/effects-log").read_text()).items()}
        self.judge("nvme_cli", found)


if __name__ == "__main__":
    unittest.main()
