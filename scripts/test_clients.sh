#!/usr/bin/env bash
# Tests `lore serve` and `lore mcp` with the clients that people use: openai, langchain-openai, mcp,
# and a browser (Chromium through selenium). Installs them: the Python packages into build/clients,
# Chromium and its driver from Debian.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

lore_install_packages "${LORE_MODEL_PACKAGES[@]}" "${LORE_CLIENT_PACKAGES[@]}"
clients=$root/build/clients
if [ ! -x "$clients/bin/python" ]; then python3 -m venv "$clients"; fi
"$clients/bin/python" -m pip install --quiet openai langchain-openai mcp selenium

cmake --preset release -DLORE_BUILD_TESTS=ON >/dev/null
cmake --build build/release --target lore --parallel "$(lore_jobs)"
scripts/get-models.sh minilm qwen-1.5b >/dev/null
export LORE_BINARY=$root/build/release/lore
cd tests/clients
"$clients/bin/python" -m unittest --verbose ${@:-openai_test mcp_test web_test}
