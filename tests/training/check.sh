#!/usr/bin/env bash
# Files for trainers, read by trainers: plays simulated games, exports what was said, and takes one step of TRL's
# SFT, KTO and DPO on each file, with a model of two layers and random weights that is made on the spot. The last
# text of each row is compared with the journal, byte for byte.
#
#   tests/training/check.sh
#
# Outside the default tests: the packages take about 6 GB below the target folder, which is filled once.
set -euo pipefail
cd "$(dirname "$0")/../.."
target="$(mkdir -p "${CARGO_TARGET_DIR:-target}/training" && cd "${CARGO_TARGET_DIR:-target}/training" && pwd)"
packages="torch transformers peft trl datasets"
if [ "$(cat "$target/venv/installed" 2>/dev/null)" != "$packages" ]; then
    rm -rf "$target/venv"
    python3 -m venv "$target/venv"
    # shellcheck disable=SC2086 # one argument a package
    "$target/venv/bin/pip" install --quiet --disable-pip-version-check $packages >&2
    echo "$packages" >"$target/venv/installed"
fi
elenchus="${ELENCHUS:-}"
if [ -z "$elenchus" ]; then
    cargo build --quiet
    elenchus="$PWD/target/debug/elenchus"
fi
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
HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 CUDA_VISIBLE_DEVICES='' TOKENIZERS_PARALLELISM=false \
    "$target/venv/bin/python" "$scripts/trainers.py" "$elenchus" .
