#!/usr/bin/env bash
# A real Slurm of one node on the loopback device, private to one folder: munged, slurmctld and slurmd with their own
# configuration, key, sockets, logs and ports. Runs a command under it, then stops it, however the command ends.
#
#   tests/cluster/slurm.sh FOLDER COMMAND...
#
# Needs root and Debian's slurm-wlm and munge. Writes nothing outside of FOLDER (new or empty). Exit code: the
# command's; 3 if the cluster did not come up.
set -euo pipefail

(($# >= 2)) || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
mkdir -p -- "$1"
folder=$(cd -- "$1" && pwd -P)
shift
host=$(hostname -s)
started=()

die() {
  printf 'slurm.sh: error: %s\n' "$*" >&2
  tail -n 20 "$folder"/*.log >&2 || true
  exit 3
}
stop() {
  local pid
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
}
trap stop EXIT
free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

((EUID == 0)) || die "slurmd starts jobs as their owner, and needs root for that"
for program in munged slurmctld slurmd sbatch srun squeue; do
  command -v "$program" >/dev/null || die "$program is not installed (Debian: slurm-wlm, munge)"
done

mkdir -p "$folder"/{state,spool}
chmod 700 "$folder"
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" >"$folder/munged.out.log" 2>&1 &
started+=($!)

memory=$(awk '/MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
cat >"$folder/slurm.conf" <<END
ClusterName=flashloom
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$folder/slurm.conf
# Snakemake removes SLURM_* from the environment of its jobs, where srun would then look for a configuration in /etc.
mkdir -p "$folder/bin"
printf '#!/bin/sh\nSLURM_CONF=%q exec %q "$@"\n' "$SLURM_CONF" "$(command -v srun)" >"$folder/bin/srun"
chmod +x "$folder/bin/srun"
export PATH=$folder/bin:$PATH

for ((i = 0; i < 100; i++)); do
  [[ -S $folder/munge.socket ]] && break
  sleep 0.1
done
[[ -S $folder/munge.socket ]] || die "munged did not start"
slurmctld -D -f "$SLURM_CONF" >"$folder/slurmctld.log" 2>&1 &
started+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$folder/slurmd.log" 2>&1 &
started+=($!)
for ((i = 0; i < 300; i++)); do
  [[ $(sinfo --noheader --format=%t 2>/dev/null) == idle ]] && break
  sleep 0.1
done
[[ $(sinfo --noheader --format=%t 2>/dev/null) == idle ]] || die "the node did not come up"

"$@"
