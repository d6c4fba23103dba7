#!/usr/bin/env bash
# The parts of a run on a list of machines that are reached by ssh:
#
#   docs/clusters/machines.sh HOSTS --dataset topics.csv --protocol pred --model llama
#
# HOSTS is a file with one machine a line. Each needs `elenchus`, the data set at the same path, and its own way to a
# server. Repeat the command to go on after a machine was restarted: finished parts play nothing.
set -eu

hosts="$1"
shift
parts="$(grep -c . "$hosts")"
folder="${ELENCHUS_FOLDER:-elenchus-run}"
key="${ELENCHUS_KEY:-$(printf '%s ' "$@" | cksum | cut -d ' ' -f 1)}"
ssh="${ELENCHUS_SSH:-ssh}"
words="$(printf '%q ' "$@")"

part=0
while read -r host <&3; do
    part=$((part + 1))
    $ssh "$host" "cd $(printf '%q' "$PWD") && mkdir -p $folder && \
        elenchus --store $folder/$part run $words --shard $part/$parts --key $key-$part --quiet" \
        >"part-$part.log" 2>&1 &
done 3<"$hosts"
wait

mkdir -p stores
part=0
while read -r host <&3; do
    part=$((part + 1))
    mkdir -p "stores/$part"
    $ssh "$host" "cd $(printf '%q' "$PWD") && tar cf - -C $folder/$part ." </dev/null | tar xf - -C "stores/$part"
done 3<"$hosts"
elenchus --store whole import stores/*/
elenchus --store whole metrics --run last
