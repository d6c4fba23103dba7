#!/usr/bin/env bash
# Plays a run over a real Slurm array on this machine, by the scripts of docs/clusters, over a slow loopback server. One
# task is killed with -9 and one is requeued in the middle. Every reply must be bought once, but for those that were on
# their way at the kill, and the merged figures must be those of one process, byte for byte.
#
#   tests/slurm/check.sh
#
# ELENCHUS names a program that is built already. Needs root, and of Debian slurm-wlm and munge: it starts munged,
# slurmctld and slurmd with a configuration of its own, and stops them. Not a part of `cargo test`.
set -euo pipefail
cd "$(dirname "$0")/../.."
root="$PWD"
if [ -z "${ELENCHUS:-}" ]; then
    cargo build --quiet
fi
program="$(realpath "${ELENCHUS:-${CARGO_TARGET_DIR:-target}/debug/elenchus}")"

work="$(mktemp -d)"
chmod 755 "$work"
pids=()
stop() {
    for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    pkill -9 -f "$work" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT

# Slurm on one machine.
host="$(hostname -s)"
mkdir -p "$work/spool/ctld" "$work/spool/d" "$work/log"
cat >"$work/slurm.conf" <<CONF
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=$work/spool/ctld
SlurmdSpoolDir=$work/spool/d
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/d.pid
SlurmctldLogFile=$work/log/ctld
SlurmdLogFile=$work/log/d
SlurmctldPort=16817
SlurmdPort=16818
MpiDefault=none
# The machine may have fewer cores than parts.
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=15
SchedulerParameters=batch_sched_delay=1,sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
CONF
export SLURM_CONF="$work/slurm.conf"
if ! munge -n >/dev/null 2>&1; then
    mkdir -p /run/munge && chown munge /run/munge 2>/dev/null || true
    runuser -u munge -- munged --foreground --force >/dev/null 2>&1 & pids+=($!)
    until munge -n >/dev/null 2>&1; do sleep 0.2; done
fi
slurmctld -D -c >/dev/null 2>&1 & pids+=($!)
slurmd -D >/dev/null 2>&1 & pids+=($!)
until sinfo -h -o %T 2>/dev/null | grep -q -e idle -e mixed; do sleep 0.5; done

# A home, a server, topics.
export HOME="$work/home" PATH="$work/bin:$PATH"
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME ELENCHUS_STORE
mkdir -p "$HOME" "$work/bin" "$work/run"
ln -s "$program" "$work/bin/elenchus"
cd "$work/run"
serve() {
    python3 "$root/tests/slurm/slow_server.py" "$work/$1.log" "$2" >"$work/$1.port" & pids+=($!)
    until [ -s "$work/$1.port" ]; do sleep 0.1; done
    export OPENAI_BASE_URL="http://127.0.0.1:$(cat "$work/$1.port")/v1"
}
{
    echo "id,text"
    for at in $(seq 1 24); do echo "t$at,How is matter number $at handled?"; done
} >topics.csv
game=(--dataset own:topics.csv --protocol pred --model llama --rounds 2 --price 1,1 --concurrency 2 --seed 5)

# One process.
serve whole 0
elenchus --store one run "${game[@]}" -q
calls="$(grep -c ^answered "$work/whole.log")"

# The array: part 2 is killed with -9, part 3 is requeued, both in the middle.
serve parts 0.15
export ELENCHUS_STORES="$work/run/stores"
array="$(sbatch --parsable --array=1-4 "$root/docs/clusters/part.sbatch" "${game[@]}")"
done_of() { cat "$ELENCHUS_STORES/$1"/sessions/*.jsonl 2>/dev/null | grep -c -e '"type":"replied"' -e '"type":"judged"' || true; }
echo "array $array"
until [ "$(done_of 2)" -ge 20 ] && [ "$(done_of 3)" -ge 20 ]; do sleep 0.2; done
victim="$(pgrep -f "elenchus --store $ELENCHUS_STORES/2 " | head -1)"
kill -9 "$victim"
scontrol requeue "${array}_3"
echo "killed part 2 at $(done_of 2) replies and verdicts, requeued part 3 at $(done_of 3)"
# What is there can be merged meanwhile, and again.
elenchus --store whole import "$ELENCHUS_STORES"/*/ 2>&1 | grep imported
elenchus --store whole ls --runs
while [ "$(squeue -h -j "$array" 2>/dev/null | grep -c .)" -gt 0 ]; do
    # A killed task has failed: somebody, or a script, starts it again, with the same command and the same key.
    sleep 0.5
done
key="$array-2"
SLURM_ARRAY_JOB_ID="$array" SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=4 \
    bash "$root/docs/clusters/part.sbatch" "${game[@]}"
echo "part 2 went on under key $key"
merge="$(sbatch --parsable "$root/docs/clusters/merge.sbatch")"
while [ "$(squeue -h -j "$merge" 2>/dev/null | grep -c .)" -gt 0 ]; do sleep 0.5; done
cat "elenchus-merge-$merge.log"
test -s page.html

python3 - "$work/parts.log" "$calls" <<'PY'
import collections, sys
lines = [line.split() for line in open(sys.argv[1])]
answered = collections.Counter(digest for kind, digest in lines if kind == "answered")
asked = collections.Counter(digest for kind, digest in lines if kind == "asked")
again = {digest: count for digest, count in answered.items() if count > 1}
print(f"{len(answered)} different calls answered of {sys.argv[2]}; {sum(asked.values()) - len(asked)} asked twice, "
      f"{sum(again.values()) - len(again)} answered twice")
# Two debates side by side, of three speakers and their evaluators each, can be on their way when a process is killed.
assert len(answered) == int(sys.argv[2])
assert sum(again.values()) - len(again) <= 12, again
PY

# Times differ; nothing else may.
untimed='import json, sys
report = json.load(sys.stdin)
timed = ("latency", "wall", "critical_path", "time")
for section in report["sections"]:
    section["figures"] = [one for one in section["figures"] if not any(word in one["measure"] for word in timed)]
json.dump(report, sys.stdout)'
elenchus --store one metrics --run last --json --by protocol,seat,round | python3 -c "$untimed" >one.json
elenchus --store whole metrics --run last --json --by protocol,seat,round | python3 -c "$untimed" >whole.json
cmp one.json whole.json
echo "merged figures are those of one process, byte for byte ($(wc -c <one.json) bytes)"
