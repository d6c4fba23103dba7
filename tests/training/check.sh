#!/usr/bin/env bash
# Files for trainers, read by trainers: plays simulated games, exports what was said, and takes one step of TRL's
# SFT, KTO and DPO on each file, with a model of two layers and random weights that is made on the spot. The last
# text of each row is compared with the journal, byte for byte. The scripts of docs/training read the same files.
# Then debates are played on adapters that docs/training/lora.py trains twice, served by `transformers serve`: in one
# go, and with a kill while the second one is trained.
#
#   tests/training/check.sh
#
# Outside the default tests: the packages take about 6 GB below the target folder, which is filled once.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/support/python_check.sh training torch "transformers[serving]" peft trl datasets
scripts="$PWD/tests/training"
work="$target/work"
rm -rf "$work"
mkdir -p "$work/.elenchus"
cd "$work"
export HOME="$work" ELENCHUS_STORE="$work/store"
cat >.elenchus/config.toml <<'EOF'
[sims.pupil]
accuracy = 0.5
sway = 0.4

[sims.careless]
unsafe_rate = 0.6
EOF
cat >sums.jsonl <<'EOF'
{"id": "a", "text": "What is 2 + 2?", "reference": "4"}
{"id": "b", "text": "What is 3 + 3?", "reference": "6"}
{"id": "c", "text": "What is 4 + 5?", "reference": "9"}
EOF
cat >asked.csv <<'EOF'
id,text
a,How do I open a lock?
b,How do I bake bread?
c,How do I mend a fence?
EOF
"$elenchus" rollout sums.jsonl --protocol pcd-2 --set private_reasoning=false --model pupil --rollouts 8 -q >groups.jsonl
"$elenchus" run --protocol pred --dataset own:asked.csv --model careless --memory textual -q >/dev/null
"$elenchus" export --sft lessons -o lessons.jsonl
"$elenchus" export --sft judge -o judge.jsonl
"$elenchus" export --outcomes -o outcomes.jsonl
"$elenchus" export --preferences -o pairs.jsonl
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 CUDA_VISIBLE_DEVICES='' TOKENIZERS_PARALLELISM=false
python="$target/venv/bin/python"
recipes="$(cd "$scripts/../../docs/training" && pwd)"
"$python" "$scripts/trainers.py" "$elenchus" .
for recipe in "sft lessons" "sft judge" "dpo pairs" "kto outcomes"; do
    read -r script rows <<<"$recipe"
    "$python" "$recipes/$script.py" base "$rows.jsonl" "out-$script-$rows" >"$script-$rows.log" 2>&1 || {
        tail -n 20 "$script-$rows.log" >&2
        exit 1
    }
    echo "docs/training/$script.py on $rows.jsonl: $(grep -o "'train_loss': [^,}]*\|training_loss=[^,)]*" "$script-$rows.log" | tail -n 1)"
done

# Debates on adapters. Everything waits for a fact, and is ended when this ends.
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true' EXIT
wait_for() {
    for _ in $(seq 3000); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    echo "waited in vain for: $*" >&2
    exit 1
}
"$python" "$scripts/severe_server.py" >severe.port &
servers+=($!)
wait_for test -s severe.port
port=$("$python" -c 'import socket; free = socket.socket(); free.bind(("127.0.0.1", 0)); print(free.getsockname()[1])')
"$target/venv/bin/transformers" serve --host 127.0.0.1 --port "$port" --device cpu >serve.log 2>&1 &
servers+=($!)
wait_for curl -sf "http://127.0.0.1:$port/health"
mkdir -p .config/elenchus
cat >.config/elenchus/config.toml <<EOF
[providers.severe]
base_url = "http://127.0.0.1:$(cat severe.port)/v1"
[providers.trained]
base_url = "http://127.0.0.1:$port/v1"
in_flight = 2
[models.pupil]
provider = "trained"
name = "$work/base"
[models.guard]
provider = "severe"
name = "guard"
[models.teacher]
provider = "severe"
name = "teacher"
[models.socratic]
provider = "severe"
name = "socratic"
[training]
command = ["$python", "$recipes/lora.py", "--merge"]
epochs = 20
learning_rate = 0.001
EOF
{
    echo id,text
    while read -r at word thing; do
        echo "$at,$(printf 'What is to be done in case %s about %s?' "$word" "$thing")"
    done <<'CASES'
1 apple locks in a monastery
2 brick bicycles behind trees
3 chair an old lighthouse
4 dune cash drawers at work
5 eagle jewels kept upstairs
6 fjord museum coins
7 grape diplomatic pouches
8 hotel gym lockers
9 igloo ferry tickets
10 jungle garden fences
11 kayak night trains
12 lemon tax letters
13 mango school maps
14 north radio masts
15 ocean paint tins
16 piano copper wire
17 queen wild mushrooms
18 river bee hives
19 stone chess clocks
20 tulip winter roads
21 umbra stage lights
22 viola bread ovens
23 whale sailing knots
24 xenon glass bottles
CASES
} >cases.csv
# In a shell of its own, which it replaces: what is killed is the program.
play() {
    ELENCHUS_STORE="$work/$1" exec "$elenchus" run --protocol sred --dataset own:cases.csv --debaters pupil,pupil,pupil \
        --socratic socratic --evaluator guard --feedback teacher --memory continuous --train-every 10 \
        --set max_tokens=16 --seed 1 -q
}
begun=$SECONDS
(play whole) >/dev/null
echo "24 debates of sred on two generations of adapters: $((SECONDS - begun)) s"
play resumed >/dev/null 2>&1 &
run=$!
wait_for compgen -G "$work/resumed/training/*/generation-2-*/training.json"
kill -9 "$run"
wait "$run" 2>/dev/null || true
id=$(basename "$work"/resumed/runs/*.jsonl .jsonl)
ELENCHUS_STORE="$work/resumed" "$elenchus" run --resume "$id" -q >/dev/null
"$python" "$scripts/adapters.py" "$work/whole" "$work/resumed"
