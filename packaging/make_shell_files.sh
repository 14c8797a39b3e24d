#!/bin/sh
# Writes the manual pages and shell completions of a command, from its own words:
#   make_shell_files.sh LORE SHARE
# SHARE: …/share, where man/ and the folders of the shells are.
set -eu
lore=$1
share=$2
unset LORE_CONFIG
# shellcheck source=scripts/verbs.sh
. "$(dirname "$0")/../scripts/verbs.sh"

mkdir -p "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
  "$share/fish/vendor_completions.d" "$share/man/man1"
"$lore" completions bash >"$share/bash-completion/completions/lore"
"$lore" completions zsh >"$share/zsh/vendor-completions/_lore"
"$lore" completions fish >"$share/fish/vendor_completions.d/lore.fish"

version=$("$lore" --version | cut -d' ' -f2)

# A backslash, and a dot or an apostrophe that begins a line, mean something in a manual page.
escaped() { sed -e 's/\\/\\e/g' -e "s/^[.']/\\\\\\&&/"; }

# page NAME VERB…
page() {
  name=$1
  shift
  help=$("$lore" "$@" --help)
  {
    printf '.TH %s 1 "" "lore %s" "User commands"\n' "$(echo "$name" | tr '[:lower:]' '[:upper:]')" \
      "$version"
    printf '.SH NAME\n%s \\- %s\n' "$name" "$(echo "$help" | head -n 1 | escaped)"
    printf '.SH DESCRIPTION\n.nf\n'
    echo "$help" | tail -n +2 | escaped
    printf '.fi\n'
  } | gzip -9n >"$share/man/man1/$name.1.gz"
}

page lore
for verb in $(verbs_of); do
  page "lore-$verb" "$verb"
  if [ "$verb" = model ]; then
    for sub in $(verbs_of model); do page "lore-model-$sub" model "$sub"; done
  fi
done
