#!/bin/sh
# A log of synced records, as of a database, that is replaced by a shorter one from time to time: a scenario of
# `flashloom torture --linux` (docs/how-to/linux.md).
set -e
phase=$1 acknowledged=$3
place=/mnt/drive
mkdir -p $place

case $phase in
  prepare)
    mkfs.ext4 -q -F -U 5f0c4f8e-0000-4000-8000-000000000007 -E hash_seed=5f0c4f8e-0000-4000-8000-000000000007 /dev/nvme0n1
    ;;
  work)
    mount /dev/nvme0n1 $place
    echo begin > /dev/ttyS0
    for n in $(seq 60); do
      if [ $((n % 10)) = 0 ]; then # the new log begins with the number of records that it leaves out
        echo "after $n" > $place/new
        sync $place/new
        mv $place/new $place/log
        sync $place
      else
        echo "record $n" >> $place/log
        sync $place/log
        if [ $n = 1 ]; then sync $place; fi
      fi
      echo "ack $n" > /dev/ttyS0
    done
    ;;
  check)
    mount /dev/nvme0n1 $place || { echo "it does not mount"; exit 3; }
    last=$(tail -n 1 "$acknowledged")
    if [ ! "$last" ]; then exit 0; fi
    newest=$(tail -n 1 $place/log 2> /dev/null | sed 's/.* //')
    if [ "${newest:-0}" -lt "$last" ]; then
      echo "the log ends with ${newest:-nothing} where $last was acknowledged"
      exit 3
    fi
    umount $place
    e2fsck -f -n /dev/nvme0n1 > /tmp/said 2>&1 || { tail -n 1 /tmp/said; exit 3; }
    ;;
esac
