#!/usr/bin/env bash
# Exports guardrails with hostile names and strings from the real binary, and has the real NeMo
# Guardrails package parse, load and run them. Slow the first time: it makes a virtual environment
# below the target folder (about a minute, 90 MB); a second run takes some seconds.
set -euo pipefail
cd "$(dirname "$0")/../.."

target="${CARGO_TARGET_DIR:-target}"
binary="$target/debug/elenchus"
venv="$target/colang-venv"
version="0.24.*"

if [ ! -x "$binary" ]; then
    cargo build
fi
# What its parser and its runtime import; the rest of its requirements serves models and servers.
if [ ! -e "$venv/ready" ]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "nemoguardrails==$version"
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
        aiohttp aiohttp-retry dataclasses-json httpx jinja2 jsonschema lark nest-asyncio pydantic \
        pyyaml rich simpleeval 2>"$venv/pip.log" || { cat "$venv/pip.log" >&2; exit 1; }
    touch "$venv/ready"
fi

desk="$(mktemp -d)"
trap 'rm -rf "$desk"' EXIT
"$venv/bin/python" tests/colang/check.py "$PWD/$binary" "$desk"
