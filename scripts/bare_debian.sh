# A Debian 12 without anything added, to try things in. Sourced by scripts that run as root.

# bare_debian FOLDER: fills it by debootstrap, from where this machine has its packages.
bare_debian() {
  local mirror
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | awk 'NR == 1')
  debootstrap --variant=minbase bookworm "$1" ${mirror:+"$mirror"}
}
