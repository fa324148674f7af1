#!/bin/sh
# The screen of docs/how-to/recipes.md: `flashloom linux tiny --run docs/how-to/linux-fio.sh`.
set -e
missing=
for program in mkfs.ext4 e2fsck fio nvme; do command -v $program > /dev/null || missing="$missing $program"; done
if [ "$missing" ]; then
  echo "this machine lacks$missing: apt-get install e2fsprogs fio nvme-cli" >&2
  exit 1
fi
mkfs.ext4 -q -b 4096 -U 5f0c4f8e-0000-4000-8000-000000000004 -E hash_seed=5f0c4f8e-0000-4000-8000-000000000004 /dev/nvme0n1
mkdir -p /mnt/drive && mount /dev/nvme0n1 /mnt/drive
fio --name=db --directory=/mnt/drive --rw=randrw --rwmixread=70 --bs=4k --size=8m --direct=1 --ioengine=libaio --iodepth=8 \
    --end_fsync=1 --verify=crc32c --clocksource=clock_gettime --thread --eta=never |
  grep -E 'IOPS=|clat \(|err='
umount /mnt/drive
e2fsck -f -n /dev/nvme0n1 2>&1 | tail -n 1
nvme smart-log /dev/nvme0 | grep -E 'percentage_used|[Dd]ata [Uu]nits [Ww]ritten|host_write_commands|power_cycles'

