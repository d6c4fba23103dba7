# Packages of Python and the program, for checks that are run by hand: a virtual environment below the target folder,
# made once for a list of packages. Sourced from the root of the source:
#
#   . tests/support/python_check.sh NAME PACKAGES…
#
# Sets `target`, the check's own folder with `venv` in it, and `elenchus`; ELENCHUS names a program that is built
# already.
target="${CARGO_TARGET_DIR:-target}/$1"
shift
mkdir -p "$target"
target="$(cd "$target" && pwd)"
if [ "$(cat "$target/venv/installed" 2>/dev/null)" != "$*" ]; then
    rm -rf "$target/venv"
    python3 -m venv "$target/venv"
    "$target/venv/bin/pip" install --quiet --disable-pip-version-check "$@" >&2
    echo "$*" >"$target/venv/installed"
fi
elenchus="${ELENCHUS:-}"
if [ -z "$elenchus" ]; then
    cargo build --quiet
    elenchus="$(cd "${CARGO_TARGET_DIR:-target}" && pwd)/debug/elenchus"
fi
