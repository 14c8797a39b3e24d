#!/usr/bin/env bash
# Builds lore and runs every test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

usage() {
  cat <<'USAGE'
Usage: scripts/test.sh [--full]

  --full   run every test on every kernel table of this processor (else the long ones run on the
           widest table only), and the kernel tests on emulated older x86 and ARM processors

Installs the Debian packages that are missing, builds in build/release and build/asan, fetches the
models that the tests use, runs all tests in the release build and the unit tests again with address
and undefined-behaviour sanitizers, and checks the sources: format, the second compiler, and
clang-tidy on the files whose preprocessed text changed.

LORE_TEST_SMALL=1 fetches only the two small models; the tests of the others are skipped, visibly.
USAGE
}

full=
for argument in "$@"; do
  case $argument in
    --full) full=1; export LORE_TEST_FULL=1 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test: unknown argument $argument (see --help)" >&2; exit 2 ;;
  esac
done

step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }

step "Debian packages"
lore_install_packages "${LORE_BUILD_PACKAGES[@]}" "${LORE_MODEL_PACKAGES[@]}" \
  "${LORE_TEST_PACKAGES[@]}"

jobs=$(lore_jobs)
step "Build: release"
cmake --preset release -DLORE_BUILD_TESTS=ON >/dev/null
cmake --build --preset release --parallel "$jobs" -- --quiet
step "Build: address and undefined-behaviour sanitizers"
cmake --preset asan -DLORE_BUILD_TESTS=ON -DLORE_WERROR=ON >/dev/null
cmake --build --preset asan --parallel "$jobs" --target unit_tests -- --quiet

step "Models"
models=(minilm smollm2)
[ -n "${LORE_TEST_SMALL:-}" ] || models+=(qwen-0.5b gemma-270m qwen-1.5b)
for model in "${models[@]}"; do
  scripts/get-models.sh "$model" ||
    echo "test: $model cannot be had here; the tests that need it are skipped"
done

failed=()
step "Sources: format, clang 14, clang-tidy"
python3 scripts/check_sources.py || failed+=("sources")
step "Tests: unit, with sanitizers"
ctest --preset asan -L unit --parallel "$jobs" --progress || failed+=("sanitizers")
step "Tests: all, release"
ctest --preset release --parallel "$jobs" --progress || failed+=("release")
if [ -n "$full" ]; then
  step "Tests: other machines, emulated"
  scripts/test_other_machines.sh || failed+=("other machines")
fi

step "Done"
if [ ${#failed[@]} -gt 0 ]; then
  echo "Failed: ${failed[*]}"
  exit 1
fi
