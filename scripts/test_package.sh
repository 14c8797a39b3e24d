#!/usr/bin/env bash
# Builds the Debian package and installs it into a bare Debian 12 made by debootstrap (as root), then
# indexes the example documents there and searches them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck source=scripts/bare_debian.sh
. scripts/bare_debian.sh
lore_install_packages debootstrap dpkg-dev file

cmake --preset release -DLORE_BUILD_TESTS=OFF -B build/package >/dev/null
cmake --build build/package --parallel "$(lore_jobs)"
(cd build/package && cpack -G DEB)
package=$(ls build/package/lore_*.deb)
models=${LORE_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/lore}/models
scripts/get-models.sh minilm

bare=$(mktemp -d)
trap 'umount "$bare/proc" 2>/dev/null || true; rm -rf "$bare"' EXIT
bare_debian "$bare"
mount -t proc proc "$bare/proc"
cp "$package" "$bare/tmp/lore.deb"
cp -r examples/documents "$bare/tmp/documents"
mkdir -p "$bare/root/.local/share/lore/models"
cp "$models/minilm.gguf" "$bare/root/.local/share/lore/models/"
chroot "$bare" sh -eu -c '
  apt-get install -y -q --no-install-recommends /tmp/lore.deb
  cd /tmp/documents
  lore doctor
  lore index
  lore search "pump alarm" -k 2
  lore ask --no-generate "At what pressure does the pump stop by itself?"
  lore embed x -m none 2>&1 | grep "get it with: lore-get-models none"
  test -x "$(command -v lore-get-models)"
'
echo "The package $package works on a bare Debian 12."
