#!/bin/bash
# Unpacking: a tar archive of the Boost headers (about 15,000 small files) is unpacked and synced, removed, and unpacked
# again, as an upgrade does. Free space is trimmed by fstrim, as a timer does, not at each removal.
set -euo pipefail

case "$1" in
  prepare) tar -C /usr/include -cJf "$VOLUME/boost.tar.xz" boost ;;
  run)
    mount -o remount,nodiscard "$VOLUME"
    for _ in 1 2; do
      rm -rf "$VOLUME/boost"
      sync --file-system "$VOLUME"
      fstrim "$VOLUME"
      tar -C "$VOLUME" -xJf "$VOLUME/boost.tar.xz"
      sync --file-system "$VOLUME"
    done
    ;;
esac
