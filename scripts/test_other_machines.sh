#!/usr/bin/env bash
# Tests lore on processors that this machine is not, under QEMU's user emulation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

usage() {
  cat <<'USAGE'
Usage: scripts/test_other_machines.sh [x86|arm]

  x86   an x86 processor without AVX (Nehalem, 2008): the kernel tests, and the command itself
  arm   64-bit ARM: the kernels are cross-compiled in build/aarch64, and their tests run on a
        processor with matrix products of bytes, one with dot products only, and one with neither

Without an argument, both. Installs the Debian packages that are missing. An ARM processor is only
emulated here: this tests what the kernels compute, not how fast.
USAGE
}

parts=(x86 arm)
case ${1:-} in
  "") ;;
  x86 | arm) parts=("$1") ;;
  -h | --help) usage; exit 0 ;;
  *) echo "test_other_machines: unknown argument $1 (see --help)" >&2; exit 2 ;;
esac

lore_install_packages "${LORE_BUILD_PACKAGES[@]}" "${LORE_MACHINE_PACKAGES[@]}"
jobs=$(lore_jobs)

test_x86() {
  if [ "$(uname -m)" != x86_64 ]; then
    echo "x86: skipped, for the tests are built for this machine, $(uname -m)"
    return
  fi
  cmake --preset release -DLORE_BUILD_TESTS=ON >/dev/null
  cmake --build --preset release --parallel "$jobs" --target base_test kernels_test lore -- --quiet
  tests/machines/nehalem.sh build/release/tests/base/base_test \
    build/release/tests/engine/kernels/kernels_test build/release/lore
}

test_arm() {
  cmake --preset aarch64 -DLORE_WERROR=ON >/dev/null
  cmake --build --preset aarch64 --parallel "$jobs" --target base_test kernels_test -- --quiet
  local processor program
  for processor in max cortex-a76 cortex-a53; do
    for program in base/base_test engine/kernels/kernels_test; do
      echo "== $processor: ${program##*/}"
      # Thread pools ask what the system has room for, which the emulator answers otherwise.
      qemu-aarch64 -cpu "$processor" -L /usr/aarch64-linux-gnu \
        "build/aarch64/tests/$program" --gtest_brief=1 --gtest_filter=-ThreadPool.*
    done
  done
}

failed=()
for part in "${parts[@]}"; do
  # On the left of || the shell would not stop at the first command that fails.
  set +e
  (set -e; "test_$part")
  status=$?
  set -e
  [ "$status" -eq 0 ] || failed+=("$part")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "Failed: ${failed[*]}"
  exit 1
fi
