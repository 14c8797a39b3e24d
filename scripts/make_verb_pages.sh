#!/bin/sh
# Writes a page for every verb from its own help.
#   scripts/make_verb_pages.sh [LORE [FOLDER]]
# LORE: the command (build/release/lore). FOLDER: where the pages go (docs/verbs).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
lore=${1:-$root/build/release/lore}
folder=${2:-$root/docs/verbs}
if [ ! -x "$lore" ]; then
  echo "make_verb_pages.sh: there is no command $lore; build it: cmake --build --preset release" >&2
  exit 1
fi
mkdir -p "$folder"

# shellcheck source=scripts/verbs.sh
. "$root/scripts/verbs.sh"

# page FILE VERB…
page() {
  file=$1
  shift
  {
    echo "# lore $*"
    echo
    echo "<!-- Made by scripts/make_verb_pages.sh from the command's own help. -->"
    echo
    echo '```'
    "$lore" "$@" --help | sed 's/[[:space:]]*$//' | cat -s
    echo '```'
  } >"$folder/$file.md"
}

{
  echo "# Verbs"
  echo
  echo "<!-- Made by scripts/make_verb_pages.sh from the command's own help. -->"
  echo
  for verb in $(verbs_of); do
    if [ "$verb" = model ]; then
      for inner in $(verbs_of model); do
        page "model-$inner" model "$inner"
        echo "- [lore model $inner](model-$inner.md)"
      done
    else
      page "$verb" "$verb"
      echo "- [lore $verb]($verb.md)"
    fi
  done
} >"$folder/README.md"
