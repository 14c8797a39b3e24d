#!/usr/bin/env bash
# Runs lore as on a processor of 2008, with SSE4.2 and nothing newer: an instruction that it lacks
# ends a program there. The kernel tests, an embedding that must equal the one of --kernels sse41
# here, and an index of one document with a search in it.
#   nehalem.sh BASE_TEST KERNELS_TEST LORE
# Exit code 77: skipped, QEMU's user emulation is not installed.
set -euo pipefail
base_test=$1 kernels_test=$2 lore=$3

if ! command -v qemu-x86_64 >/dev/null; then
  echo "skipped: qemu-x86_64 is not installed (Debian's qemu-user)"
  exit 77
fi
old() { qemu-x86_64 -cpu Nehalem "$@"; }

echo "== simd and kernel tests"
old "$base_test" --gtest_brief=1 --gtest_filter='CpuFeatures.*:*Vector*'
old "$kernels_test" --gtest_brief=1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
models=${LORE_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/lore}/models
if [ ! -f "$models/minilm.gguf" ]; then
  echo "not tested: embedding and indexing, for there is no $models/minilm.gguf"
  exit 0
fi

echo "== an embedding"
text="A vector does not depend on the machine that computed it."
here() { "$lore" embed "$text" -m minilm -f f32 -o "$work/here" --kernels sse41 -q; }
there() { old "$lore" embed "$text" -m minilm -f f32 -o "$work/there" -q; }
here
there
cmp "$work/here" "$work/there"
if old "$lore" embed "$text" -m minilm --kernels avx2 -q 2>"$work/refusal"; then
  echo "an old processor ran the avx2 kernels"
  exit 1
fi
grep -q "cannot run the avx2 kernels" "$work/refusal"

echo "== an index of one document"
mkdir "$work/documents"
echo "The heron stands in shallow water and waits for a fish." >"$work/documents/birds.txt"
old "$lore" index "$work/documents" -q
old "$lore" search "which bird fishes?" --index "$work/documents/.lore" --json -q >"$work/hits"
grep -q "birds.txt" "$work/hits"
echo "passed"
