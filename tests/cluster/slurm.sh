#!/usr/bin/env bash
# A Slurm cluster of one node, this machine: `tests/cluster/slurm.sh start|stop`, as root.
# Debian: apt-get install slurm-wlm munge. Slurm's configuration has to lie in /etc/slurm, and an
# own one that lies there is not replaced.
set -euo pipefail

conf=/etc/slurm/slurm.conf
mark='# Written by tests/cluster/slurm.sh of muver.'
state=/var/lib/muver-slurm

fail() { echo "slurm.sh: $*" >&2; exit 1; }

start() {
    ((EUID == 0)) || fail "needs root, for Slurm's daemons"
    for tool in munged slurmctld slurmd sbatch; do
        command -v "$tool" >/dev/null || fail "$tool is not installed: apt-get install slurm-wlm munge"
    done
    [[ ! -e $conf ]] || grep -qF "$mark" "$conf" || fail "$conf belongs to another cluster"
    stop
    mkdir -p /run/munge "$state"/{ctld,d}
    chown munge: /run/munge
    [[ -e /etc/munge/munge.key ]] || mungekey --create
    pgrep -x munged >/dev/null || runuser -u munge -- munged
    local memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo) / 1024 - 512))
    cat >"$conf" <<EOF
$mark
ClusterName=muver
SlurmctldHost=$(hostname -s)
SlurmUser=root
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/d
SlurmctldLogFile=$state/slurmctld.log
SlurmdLogFile=$state/slurmd.log
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
# Memory is watched every second, as control groups may not be had in a container.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,batch_sched_delay=0
MinJobAge=3600
NodeName=$(hostname -s) CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=${PARTITION:-main} Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
    slurmctld -c
    slurmd
    local tries
    for tries in {1..60}; do
        [[ $(sinfo --noheader --format %t 2>/dev/null) == idle ]] && return
        sleep 0.5
    done
    fail "the node does not get ready; see $state/*.log"
}

stop() {
    local name pid
    for name in slurmctld slurmd; do
        [[ -e $state/$name.pid ]] || continue
        pid=$(<"$state/$name.pid")
        kill "$pid" 2>/dev/null || continue
        while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done # it saves its state
    done
    rm -rf "$state"
    ! grep -qsF "$mark" "$conf" || rm "$conf"
}

case ${1:-} in
start | stop) "$1" ;;
*) fail "start or stop" ;;
esac
