#!/usr/bin/env bash
# Logs of Inspect, out and in: a run with several arms, a pass and labels is exported and read by Inspect
# (read_eval_log, header_only, summaries, evals_df, samples_df) and by a scanner of Inspect Scout, and every text,
# verdict and sum is compared with the program's own tables. It is opened in 'inspect view' in Chromium;
# the screenshots stay in target/inspect/screenshots: look at them. Then Inspect writes logs of its own, as archives
# and as documents, and the program takes them in.
#
#   tests/inspect/check.sh [CHROMIUM]
#
# Outside the default tests: the packages take about 600 MB below the target folder, once; it needs node, npm and
# Chromium. ELENCHUS names a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/../.."
chromium="${1:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}"
# As in tests/pages/check.sh.
package="puppeteer-core@24.43.1"
. tests/support/python_check.sh inspect "inspect_ai==0.3.285" "inspect_scout==0.6.1" "pandas" "pyarrow"
elenchus="$(realpath "$elenchus")"
scripts="$PWD/tests/inspect"
if [ "$(cat "$target/installed" 2>/dev/null)" != "$package" ]; then
    echo '{ "private": true }' >"$target/package.json"
    (cd "$target" && npm install --silent --no-audit --no-fund --ignore-scripts "$package")
    echo "$package" >"$target/installed"
fi
python="$target/venv/bin/python"
work="$target/work"
rm -rf "$work" "$target/screenshots"
mkdir -p "$work/.config/elenchus" "$work/logs" "$target/screenshots"
cd "$work"
export HOME="$work" XDG_CONFIG_HOME="$work/.config" XDG_DATA_HOME="$work/.local/share" ELENCHUS_STORE="$work/store"
printf '[sims.small]\nunsafe_rate = 0.4\n' >.config/elenchus/config.toml
cat >topics.csv <<'CSV'
id,text,category,reference
a/1,"What is 2 + 2, and ""why""?",sums,4
b,What is 3 + 3?,sums,6
CSV
for game in pred pcd-2; do
    "$elenchus" run -q --protocol "$game" --rollouts 2 --dataset own:topics.csv --model small --seed 5 >/dev/null
done
"$elenchus" judge --all --detector refusal -q >/dev/null
"$elenchus" export --inspect logs/debates.eval
"$elenchus" export --inspect private.eval --private
"$elenchus" export --turns turns.csv --raw
"$elenchus" export --debates debates.csv --raw
"$python" "$scripts/read_log.py" logs/debates.eval private.eval turns.csv debates.csv

echo "inspect view:"
port="$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
"$target/venv/bin/inspect" view start --log-dir logs --host 127.0.0.1 --port "$port" >view.log 2>&1 &
view="$!"
trap 'kill "$view" 2>/dev/null || true' EXIT
until "$python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port')" 2>/dev/null; do
    kill -0 "$view"
done
"$python" "$scripts/read_log.py" --pages logs/debates.eval >pages.json
(cd "$target" && node "$scripts/open_view.mjs" "$chromium" "http://127.0.0.1:$port" work/pages.json screenshots)

echo "logs that Inspect writes:"
"$python" "$scripts/make_logs.py" own
for log in own/*; do
    ELENCHUS_STORE="$work/taken" "$elenchus" import "$log"
done
ELENCHUS_STORE="$work/taken" "$elenchus" judge --all --detector refusal -q >/dev/null
ELENCHUS_STORE="$work/taken" "$elenchus" export --turns taken.csv --raw
"$python" "$scripts/compare_taken.py" own taken.csv

echo "out, in and out again:"
ELENCHUS_STORE="$work/back" "$elenchus" import logs/debates.eval >/dev/null
ELENCHUS_STORE="$work/back" "$elenchus" export --inspect back.eval
"$python" "$scripts/compare_logs.py" logs/debates.eval back.eval
echo "all is well; look at $target/screenshots"
