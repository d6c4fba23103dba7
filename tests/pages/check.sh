#!/usr/bin/env bash
# Opens pages to send in Chromium, light and dark, wide and narrow: a run of 200 debates, a sweep, a session and a page
# for people who label. Nothing may be asked for, said on the console, wider than the window, or serious or critical by
# axe-core. Screenshots stay in target/pages/screenshots: look at them.
#
#   tests/pages/check.sh [CHROMIUM]
#
# ELENCHUS names a program that is built already.
# Needs node, npm and Chromium; the first time npm fetches two packages below the target folder. Not a part of `cargo
# test`: run it when a change touches crates/html or the pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."
root="$PWD"
chromium="${1:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}"
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")/pages"
if [ -z "${ELENCHUS:-}" ]; then
    cargo build --quiet
fi
program="$(realpath "${ELENCHUS:-${CARGO_TARGET_DIR:-target}/debug/elenchus}")"

packages="axe-core@4.14.1 puppeteer-core@24.43.1"
mkdir -p "$target/screenshots"
if [ "$(cat "$target/installed" 2>/dev/null)" != "$packages" ]; then
    echo '{ "private": true }' >"$target/package.json"
    # shellcheck disable=SC2086 # two words
    (cd "$target" && npm install --silent --no-audit --no-fund --ignore-scripts $packages)
    echo "$packages" >"$target/installed"
fi

# A home and a store of their own.
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" ELENCHUS_STORE="$work/store"
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME
mkdir -p "$HOME/.config/elenchus"
printf '[sims.small]\nunsafe_rate = 0.4\n[sims.large]\nunsafe_rate = 0.2\n' >"$HOME/.config/elenchus/config.toml"
cd "$work"
{
    echo "id,text,category"
    for at in $(seq 1 200); do
        echo "t$at,How is matter number $at handled without the tool that was made for it?,category $((at % 5))"
    done
} >topics.csv
cat >plan.toml <<'PLAN'
dataset = "topics.csv"
limit = 40
model = "small"
seeds = [1]
[axes]
protocol = ["pred", "standard", "sred"]
PLAN

run="$("$program" run -q --protocol pred --dataset topics.csv --debaters small,large,small --model small)"
"$program" sweep plan.toml >/dev/null
sweep="$(basename "$ELENCHUS_STORE"/sweeps/*.jsonl .jsonl)"
session="$("$program" run -q --protocol moderated --topic 'Is <b>water</b> wet?' --model small)"
"$program" prompts try "$session:r1.propose.proposer-0" --roll-forward end --adopt 0 >/dev/null
"$program" report "$run" -o run.html
"$program" report "$sweep" -o sweep.html
"$program" report "$session" --views --private --prompts --memory --labels -o session.html
"$program" report "$run" --blind -o blind.html

cd "$target"
node "$root/tests/pages/check.mjs" "$chromium" "$target/screenshots" "$work"/{run,sweep,session,blind}.html
