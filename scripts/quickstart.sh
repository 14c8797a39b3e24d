#!/usr/bin/env bash
# From a bare Debian 12 to answers from a folder of PDFs: installs what is missing, builds lore,
# fetches the models, indexes examples/documents and asks three questions.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

usage() {
  cat <<'USAGE'
Usage: scripts/quickstart.sh [--small]

  --small   use the small generator (100 MB instead of 1.1 GB): quicker to get, less reliable

Installs Debian packages through apt-get (as root or with sudo), builds the command in
build/release, fetches the models into $LORE_HOME/models (default ~/.local/share/lore/models),
indexes examples/documents and asks it three questions. What is there already is left alone.
USAGE
}

generator=qwen-1.5b
for argument in "$@"; do
  case $argument in
    --small) generator=smollm2 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "quickstart: unknown argument $argument (see --help)" >&2; exit 2 ;;
  esac
done

step() { printf '\n== %s\n' "$*"; }

models=${LORE_HOME:-${XDG_DATA_HOME:-~/.local/share}/lore}/models
cat <<PLAN
This will
  1. install the Debian packages that are missing,
  2. build lore in build/release,
  3. fetch two models into $models:
     minilm (finds passages) and $generator (answers),
  4. index examples/documents,
  5. ask three questions.
PLAN

step "1. Debian packages"
lore_install_packages "${LORE_BUILD_PACKAGES[@]}" "${LORE_MODEL_PACKAGES[@]}"
echo "All there."

step "2. Build"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "The first build takes some minutes; a later one compiles only what has changed."
if ! { cmake --preset release -DLORE_BUILD_TESTS=OFF &&
  cmake --build --preset release --target lore --parallel "$(lore_jobs)"; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "quickstart: the build failed; its last lines are above" >&2
  exit 1
fi
lore=$root/build/release/lore
"$lore" --version

step "3. Models"
scripts/get-models.sh minilm
if ! scripts/get-models.sh "$generator"; then
  if [ "$generator" = smollm2 ]; then
    echo "quickstart: no generator could be fetched; answers are quoted from the documents"
    generator=
  else
    echo "quickstart: $generator cannot be had here; going on with the small generator, smollm2"
    scripts/get-models.sh smollm2 && generator=smollm2 || generator=
  fi
fi

step "4. Index"
"$lore" index examples/documents

step "5. Ask"
answering=(--no-generate)
[ -n "$generator" ] && answering=(-m "$generator")
while IFS= read -r question; do
  printf '\n> lore ask "%s"\n' "$question"
  # 3 means "not in the documents", which is the right answer to the last question.
  "$lore" ask --index examples/documents/.lore "${answering[@]}" "$question" || [ $? -eq 3 ]
done < <(python3 -c '
import json
for line in open("examples/questions.jsonl", encoding="utf-8"):
    row = json.loads(line)
    if row.get("quickstart"):
        print(row["question"])')

cat <<NEXT

That is all. For your own folder:
  $lore index ~/Documents
  cd ~/Documents && $lore ask "your question"
NEXT
