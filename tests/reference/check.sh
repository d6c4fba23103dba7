#!/usr/bin/env bash
# Cross-checks against other people's packages: makes their results again and compares them with the
# recorded ones in tests/fixtures, which the Rust tests read.
#
#   tests/reference/check.sh            compares
#   tests/reference/check.sh --record   writes the recorded results anew
#
# Slow the first time: it makes two virtual environments below the target folder (about 500 MB).
set -euo pipefail
cd "$(dirname "$0")/../.."
record="${1:-}"
target="${CARGO_TARGET_DIR:-target}/reference"
new="$target/new"
mkdir -p "$new"

# environment NAME PIP-ARGUMENTS...: a virtual environment with packages, once for each list.
environment() {
    local venv="$target/$1"
    shift
    if [ "$(cat "$venv/installed" 2>/dev/null)" != "$*" ]; then
        rm -rf "$venv"
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check "$@" >&2
        # What NeMo's parser and runtime import; the rest of its requirements serves models and servers.
        if [ -n "${no_deps:-}" ]; then
            "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "$no_deps" >&2
        fi
        echo "$*" >"$venv/installed"
    fi
    echo "$venv/bin/python"
}

# settle RECORDED: compares with what was made in $new, or records that.
settle() {
    if [ "$record" = --record ]; then
        cp "$new/$(basename "$(dirname "$1")").json" "$1"
    else
        "$figures" tests/reference/compare.py "$1" "$new/$(basename "$(dirname "$1")").json"
    fi
}

figures=$(environment figures numpy scipy statsmodels scikit-learn krippendorff irrCAC)
for name in agreement prompts; do
    "$figures" "tests/fixtures/$name/make.py" >"$new/$name.json"
    settle "tests/fixtures/$name/cases.json"
done

rails=$(no_deps="nemoguardrails==0.24.*" environment colang \
    aiohttp aiohttp-retry dataclasses-json httpx jinja2 jsonschema lark nest-asyncio pydantic \
    pyyaml rich simpleeval)
"$rails" tests/reference/colang.py tests/fixtures/colang >"$new/colang.json"
settle tests/fixtures/colang/accepted.json
