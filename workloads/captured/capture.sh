#!/bin/bash
# Captures the block requests of real programs: each program of programs/ runs on an ext4 volume on a loop device of its
# own, the kernel's block_rq_issue events of that device are recorded, and block_trace.py turns them into an fio iolog.
#
#   sudo ./capture.sh OUT_DIR [PROGRAM...]        (default: sqlite postgres postgres_async compile untar)
#
# Needs root (loop device, mount, tracefs), a kernel with CONFIG_BLK_DEV_IO_TRACE and CONFIG_BLK_DEV_LOOP, and the Debian
# packages: sqlite3 postgresql-15 googletest libboost1.81-dev g++ binutils make tar xz-utils e2fsprogs mount python3.
# Everything happens in a mount namespace and a trace instance of its own; nothing of the machine's settings stays changed.
set -euo pipefail

readonly here="$(cd "$(dirname "$0")" && pwd)"
readonly volume_bytes=$((512 << 20))   # logical size of the captured volume
readonly dirty_limit=$((16 << 20))     # dirty page cache the volume may hold: a small machine's share
readonly request_limit_kib=512         # largest read or write, as many NVMe drives report
readonly trace_buffer_kib=65536        # per CPU; an overrun fails the capture

if [[ $# -lt 1 ]]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
if [[ $EUID -ne 0 ]]; then
  echo "capture.sh: needs root for the loop device, the mount and tracefs" >&2
  exit 2
fi
if [[ -z "${FLASHLOOM_CAPTURE_NAMESPACE:-}" ]]; then
  FLASHLOOM_CAPTURE_NAMESPACE=1 exec unshare --mount --propagation private "$here/capture.sh" "$@"
fi

mkdir -p "$1"
readonly out="$(cd "$1" && pwd)"
shift
if [[ $# -eq 0 ]]; then set -- sqlite postgres postgres_async compile untar; fi

readonly root="$(mktemp -d)"
export VOLUME="$root/volume" SCRATCH="$root/scratch"
device="" instance="" mounted=""
declare -A saved=()  # settings of the loop device, which outlive it: file -> value

set_device() {  # FILE VALUE
  saved["$1"]="$(cat "$1")"
  echo "$2" >"$1"
}

restore_device() {
  local file
  for file in "${!saved[@]}"; do echo "${saved[$file]}" >"$file"; done
  saved=()
}

# Also after a failure, when a program left behind may still hold the volume: lazily, and with the failure's own status.
cleanup() {
  local -r status=$?
  set +e
  cd /
  if [[ -n "$mounted" ]]; then umount --lazy "$VOLUME"; fi
  restore_device
  if [[ -n "$device" ]]; then losetup --detach "$device"; fi
  if [[ -n "$instance" ]]; then rmdir "$instance"; fi
  umount --lazy "$root"
  rmdir "$root"
  exit "$status"
}
trap cleanup EXIT

# The image lies in memory, so the times of the trace are the programs' own pace on a device of almost no latency.
mount -t tmpfs -o size=1536m,mode=755 capture "$root"
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing

mount_volume() {
  mount -o discard,noatime "$device" "$VOLUME"
  mounted=1
}

unmount_volume() {
  umount "$VOLUME"
  mounted=""
}

create_volume() {
  mkdir -p "$VOLUME" "$SCRATCH"
  chmod 777 "$SCRATCH"
  truncate --size "$volume_bytes" "$root/image"
  device="$(losetup --find --show "$root/image")"
  set_device "/sys/block/${device#/dev/}/queue/max_sectors_kb" "$request_limit_kib"
  mkfs.ext4 -q -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 "$device"
  mount_volume
  local -r bdi="/sys/class/bdi/$(mountpoint --fs-devno "$VOLUME")"
  set_device "$bdi/strict_limit" 1
  saved["$bdi/max_ratio"]="$(cat "$bdi/max_ratio")"  # the kernel keeps max_bytes as this ratio of its own limit
  echo "$dirty_limit" >"$bdi/max_bytes"
}

destroy_volume() {
  restore_device
  losetup --detach "$device"
  device=""
  rm -rf "$root/image" "$SCRATCH"
}

start_tracing() {
  local -r major=$((0x$(stat --format %t "$device"))) minor=$((0x$(stat --format %T "$device")))
  instance="/sys/kernel/tracing/instances/flashloom$$"
  mkdir "$instance"
  echo mono >"$instance/trace_clock"
  echo "$trace_buffer_kib" >"$instance/buffer_size_kb"
  echo "dev == $((major << 20 | minor))" >"$instance/events/block/block_rq_issue/filter"
  echo 1 >"$instance/events/block/block_rq_issue/enable"
}

stop_tracing() {  # LOG
  echo 0 >"$instance/events/block/block_rq_issue/enable"
  if grep -hv ': 0$' <(grep -h '^overrun:\|^dropped events:' "$instance"/per_cpu/cpu*/stats); then
    echo "capture.sh: the trace buffer overran: raise trace_buffer_kib" >&2
    exit 1
  fi
  cat "$instance/trace" >"$1"
  rmdir "$instance"
  instance=""
}

for program in "$@"; do
  script="$here/programs/$program.sh"
  if [[ ! -x "$script" ]]; then
    echo "capture.sh: no such program: $program; there are sqlite postgres postgres_async compile untar" >&2
    exit 2
  fi
  echo "$program: prepare" >&2
  create_volume
  (cd "$SCRATCH" && "$script" prepare)
  unmount_volume  # so that the traced part starts with a cold cache
  mount_volume
  echo "$program: run" >&2
  start_tracing
  (cd "$SCRATCH" && "$script" run)
  sync --file-system "$VOLUME"
  unmount_volume
  stop_tracing "$root/$program.events"
  destroy_volume
  python3 "$here/block_trace.py" convert "$root/$program.events" >"$root/$program.iolog"
  xz -9e --keep --stdout "$root/$program.iolog" >"$out/$program.iolog.xz"
  python3 "$here/block_trace.py" stats "$out/$program.iolog.xz"
  rm "$root/$program.events" "$root/$program.iolog"
done
