#!/bin/bash
# Captures the block requests of real programs: each program of programs/ runs on an ext4 volume on a loop device of its
# own, the kernel's block_rq_issue events of that device are recorded, and block_trace.py turns them into an fio iolog.
# PROGRAM_1k (sqlite_1k) is PROGRAM on ext2 with blocks of 1 KiB; PROGRAM_pages (iozone_pages) on ext2 with blocks of
# 4 KiB, and what is recorded are its references to the page cache, which page_trace.py converts.
#
#   sudo ./capture.sh OUT_DIR [PROGRAM...]        (default: sqlite postgres postgres_async compile untar)
#
# Needs root (loop device, mount, tracefs), a kernel with CONFIG_BLK_DEV_IO_TRACE and CONFIG_BLK_DEV_LOOP, and the Debian
# packages: sqlite3 postgresql-15 googletest libboost1.81-dev g++ binutils make tar xz-utils e2fsprogs mount python3,
# for iozone iozone3 (non-free).
# Everything happens in a mount namespace and a trace instance of its own; nothing of the machine's settings stays changed.
set -euo pipefail

readonly here="$(cd "$(dirname "$0")" && pwd)"
readonly volume_bytes=$((512 << 20))   # logical size of the captured volume
readonly dirty_limit=$((16 << 20))     # dirty page cache the volume may hold: a small machine's share
readonly request_limit_kib=512         # largest read or write, as many NVMe drives report
readonly trace_buffer_kib=65536        # per CPU; an overrun fails the capture

if [[ $# -lt 1 ]]; then
  sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
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
  local atime=noatime
  if [[ "$program" == *_pages ]]; then atime=strictatime; fi  # the default of Linux up to 2.6.29
  mount -o "discard,$atime" "$device" "$VOLUME"
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
  case "$program" in
    *_1k) mkfs.ext2 -q -b 1024 "$device" ;;
    *_pages) mkfs.ext2 -q -b 4096 "$device" ;;
    *) mkfs.ext4 -q -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 "$device" ;;
  esac
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
  local event events=(block/block_rq_issue) field
  if [[ "$program" == *_pages ]]; then
    events=(block/block_touch_buffer block/block_dirty_buffer ext4/ext4_ind_map_blocks_enter
            ext4/ext4_ind_map_blocks_exit ext4/ext4_free_blocks filemap/mm_filemap_get_pages raw_syscalls/sys_enter)
    echo 1 >"$instance/options/event-fork"
    echo $((4 * trace_buffer_kib)) >"$instance/buffer_size_kb"
  fi
  for event in "${events[@]}"; do
    case "$event" in
      raw_syscalls/*) continue ;;  # has no device
      filemap/*) field=s_dev ;;
      *) field=dev ;;
    esac
    echo "$field == $((major << 20 | minor))" >"$instance/events/$event/filter"
  done
  if [[ "$program" == *_pages ]]; then echo "$BASHPID" >"$instance/set_event_pid"; fi
  for event in "${events[@]}"; do echo 1 >"$instance/events/$event/enable"; done
}

stop_tracing() {  # LOG
  echo 0 >"$instance/tracing_on"
  if grep -hv ': 0$' <(grep -h '^overrun:\|^dropped events:' "$instance"/per_cpu/cpu*/stats); then
    echo "capture.sh: the trace buffer overran: raise trace_buffer_kib" >&2
    exit 1
  fi
  cat "$instance/trace" >"$1"
  rmdir "$instance"
  instance=""
}

for program in "$@"; do
  script="${program%_1k}"
  script="$here/programs/${script%_pages}.sh"
  if [[ ! -x "$script" ]]; then
    echo "capture.sh: no such program: $program; there are sqlite postgres postgres_async compile untar iozone" >&2
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
  if [[ "$program" == *_pages ]]; then echo 0 >"$instance/tracing_on"; fi  # the references of the program alone
  sync --file-system "$VOLUME"
  unmount_volume
  stop_tracing "$root/$program.events"
  destroy_volume
  case "$program" in
    *_pages) python3 "$here/page_trace.py" "$root/$program.events" >"$root/$program.iolog" ;;
    *) python3 "$here/block_trace.py" convert "$root/$program.events" >"$root/$program.iolog" ;;
  esac
  xz -9e --keep --stdout "$root/$program.iolog" >"$out/$program.iolog.xz"
  python3 "$here/block_trace.py" stats "$out/$program.iolog.xz"
  rm "$root/$program.events" "$root/$program.iolog"
done
