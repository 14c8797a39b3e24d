#!/usr/bin/env bash
# Fetches models by name into $LORE_HOME/models. See scripts/get_models.py --help.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
if ! command -v python3 >/dev/null || ! python3 -m pip --version >/dev/null 2>&1; then
  # shellcheck source=scripts/packages.sh
  . "$here/packages.sh"
  lore_install_packages "${LORE_MODEL_PACKAGES[@]}"
fi
exec python3 "$here/get_models.py" "$@"
