# Sourced by the programs. Memory pressure: writes back and drops the cached pages of files (posix_fadvise DONTNEED), so
# that reads reach the device although the machine has more memory than the volume is large.

evict() {  # DIRECTORY
  local file
  find "$1" -type f -size +64k 2>/dev/null | while read -r file; do
    dd if="$file" iflag=nocache count=0 status=none 2>/dev/null || true  # it may have been deleted meanwhile
  done
}

start_evicting() {  # SECONDS DIRECTORY
  (
    # TERM ends the pause at once, but lets an eviction finish: nothing may hold the volume when it is unmounted.
    trap 'kill "$pause" 2>/dev/null; exit 0' TERM
    while true; do
      sleep "$1" &
      pause=$!
      wait "$pause"
      evict "$2" || true
    done
  ) &
  evictor=$!
}

stop_evicting() {
  kill "$evictor"
  wait "$evictor" || true
}
