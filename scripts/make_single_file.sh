#!/usr/bin/env bash
# Builds lore as one file that runs on any x86-64 Linux, with nothing installed: build/single/lore-VERSION-x86_64
#   make_single_file.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
lore_install_packages "${LORE_BUILD_PACKAGES[@]}" "${LORE_SINGLE_FILE_PACKAGES[@]}"
build=build/single
limit=12000000  # bytes

cmake --preset release -DLORE_BUILD_TESTS=OFF -DLORE_SINGLE_FILE=ON -B "$build" >/dev/null
cmake --build "$build" --parallel "$(lore_jobs)" --target lore
version=$("$build/lore" --version | cut -d' ' -f2)
file=$build/lore-$version-x86_64

packaging/single_file/build_stub.sh "$build/stub"
python3 packaging/single_file/collect.py "$build/lore" "$build/folder"
python3 packaging/single_file/pack.py "$build/stub" "$build/folder" "$version" "$file"
size=$(stat -c %s "$file")
echo "$file: $size bytes"
if [ "$size" -gt "$limit" ]; then
  echo "make_single_file: that is more than $limit" >&2
  exit 1
fi
