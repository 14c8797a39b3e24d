# What a command says of itself. Sourced by scripts that have its path in $lore.

# The verbs that a help lists, one a line.
verbs_of() {
  "$lore" "$@" --help | awk '/^Subcommands:/ { inside = 1; next } inside && /^  [a-z]/ { print $1 }
                             inside && /^$/ { inside = 0 }'
}
