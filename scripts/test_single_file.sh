#!/usr/bin/env bash
# Tests the single file in a bare Debian 12 made by debootstrap (as root), with no packages added, and
# as on a processor of 2008.
#   test_single_file.sh [FILE]      without FILE, makes it first
# LORE_BARE_ROOT=ROOT.tar keeps the bare Debian for the next run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck source=scripts/bare_debian.sh
. scripts/bare_debian.sh
lore_install_packages debootstrap qemu-user
[ $# -gt 0 ] || scripts/make_single_file.sh
file=$(realpath "${1:-$(ls -t build/single/lore-*-x86_64 | head -n 1)}")
[ "$(id -u)" -eq 0 ] || { echo "test_single_file: debootstrap and chroot need root" >&2; exit 1; }
scripts/get-models.sh minilm
model=${LORE_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/lore}/models/minilm.gguf
pdfs=${LORE_SHARED_DATA:-../shared/data}/pdf
limit=12000000  # bytes

work=$(mktemp -d)
bare=$work/root
mkdir "$bare"
leave() {
  local mounted
  for mounted in empty/proc root/full root/read-only root/proc; do
    umount "$work/$mounted" 2>/dev/null || true
  done
  rm -rf --one-file-system "$work"
}
trap leave EXIT
fail() { echo "test_single_file: $*" >&2; exit 1; }
part() { printf '\n== %s\n' "$*"; }

# expect CODE WORDS COMMAND…: that exit code, and the words in what it prints.
expect() {
  local code=0 output
  output=$("${@:3}" 2>&1) || code=$?
  printf '%s\n' "$output" | cut -c 1-200 | head -n 12
  [ "$code" -eq "$1" ] || fail "${*:3}: code $code, not $1"
  [[ $output == *"$2"* ]] || fail "${*:3}: does not say '$2'"
}
# expect_sentence WORDS COMMAND…: code 1 and one sentence.
expect_sentence() {
  expect 1 "$@"
  [ "$({ "${@:2}" 2>&1 || true; } | wc -l)" -eq 1 ] || fail "${*:2}: more than one line"
}
inside() { chroot "$bare" env -i HOME=/root PATH=/usr/bin:/bin "$@"; }

part "Size"
size=$(stat -c %s "$file")
echo "$size of at most $limit bytes"
[ "$size" -le "$limit" ] || fail "$file is too large"

part "A bare Debian 12"
if [ -f "${LORE_BARE_ROOT:-}" ]; then
  tar -C "$bare" -xf "$LORE_BARE_ROOT"
else
  bare_debian "$bare" >"$work/log" || { tail "$work/log"; fail "debootstrap"; }
  [ -z "${LORE_BARE_ROOT:-}" ] || tar -C "$bare" -cf "$LORE_BARE_ROOT" .
fi
mount -t proc proc "$bare/proc"
cp "$file" "$bare/usr/bin/lore"
cp -r examples/documents "$bare/root/documents"
rm -rf "$bare/root/documents/.lore"
mkdir -p "$bare/root/.local/share/lore/models" "$bare/root/pdfs" "$bare/full" "$bare/read-only"
cp "$model" "$bare/root/.local/share/lore/models/"
for library in libpodofo libsqlite3 libopenblas libfreetype; do
  [ -z "$(find "$bare/usr/lib" -name "$library*")" ] || fail "the bare Debian has $library"
done
inside sh -c '. /etc/os-release; echo "$PRETTY_NAME, $(dpkg-query -W | wc -l) packages"'

part "Two first starts at the same time"
inside sh -eu -c '
  lore --version & first=$!
  lore --version & second=$!
  wait $first
  wait $second
  ls -A /root/.cache/lore/program
  [ "$(ls /root/.cache/lore/program | wc -l)" -eq 1 ]'

part "The example documents"
expect 1 "get it with /root/.cache/lore/program" inside env LORE_HOME=/nowhere lore doctor
# It has neither fonts nor their settings, and nobody may complain about that.
expect 0 "Documents: 13 added" inside sh -c 'cd /root/documents && lore index 2>&1'
if inside sh -c 'cd /root/documents && lore index --index /tmp/again . 2>&1' | grep -i -E 'fontconfig|error'; then
  fail "the closure complains"
fi
expect 0 "/share/poppler/cMap" inside sh -c 'cd /root/documents && lore doctor'
expect 0 "pump-manual.pdf" inside sh -c 'cd /root/documents && lore search "pump alarm" -k 2'
expect 0 "pump-manual.pdf" inside sh -c 'cd /root/documents &&
  lore ask --no-generate "At what pressure does the pump stop by itself?"'
expect 0 "lore" inside sh -c 'cd /root/documents && printf "/quit\n" | lore chat --no-generate && echo lore'

part "PDFs that need what was carried along"
declare -A carried=(
  [r3-empty-password.pdf]="pdf encryption test"
  [TextExtractionPredefinedCmap.pdf]="全省环岛天然气管网尚未成型")
tried=
for name in "${!carried[@]}"; do
  if [ -f "$pdfs/$name" ]; then
    cp "$pdfs/$name" "$bare/root/pdfs/"
    tried=1
  else
    echo "NOT TESTED: there is no $pdfs/$name"
  fi
done
[ -z "$tried" ] || inside lore index /root/pdfs
for name in "${!carried[@]}"; do
  [ ! -f "$bare/root/pdfs/$name" ] ||
    expect 0 "${carried[$name]}" inside lore show "$name" --index /root/pdfs/.lore
done

part "A server, and an answer from it"
expect 0 '"data"' inside sh -c 'cd /root/documents
  lore serve --port 5999 >/tmp/serve.log 2>&1 & server=$!
  for try in $(seq 50); do
    if (exec 3<>/dev/tcp/127.0.0.1/5999) 2>/dev/null; then break; fi; sleep 0.1
  done
  bash -c "exec 3<>/dev/tcp/127.0.0.1/5999
    printf \"GET /v1/models HTTP/1.0\r\nHost: localhost\r\n\r\n\" >&3; cat <&3" || cat /tmp/serve.log
  kill $server'

part "Places that cannot be written"
mount -t tmpfs -o ro tmpfs "$bare/read-only"
expect 0 "lore " inside env XDG_CACHE_HOME=/read-only lore --version
[ -d "$bare/tmp/lore-0/program" ] || fail "it did not take /tmp"
expect_sentence "Read-only file system" inside env XDG_CACHE_HOME=/read-only TMPDIR=/read-only lore --version
mount -t tmpfs -o size=20m tmpfs "$bare/full"
expect_sentence "No space left on device" inside env XDG_CACHE_HOME=/full TMPDIR=/full lore --version
[ -z "$(find "$bare/full" -type f ! -name .lock)" ] || fail "a full disk keeps what was half unpacked"
mount -o remount,size=200m,noexec "$bare/full"
expect_sentence "Permission denied" inside env XDG_CACHE_HOME=/full TMPDIR=/full lore --version

part "A file that did not arrive whole"
head -c 5000000 "$file" >"$bare/usr/bin/cut"
chmod +x "$bare/usr/bin/cut"
expect_sentence "get it again" inside cut --version

part "A Linux without any library"
mkdir -p "$work/empty/proc" "$work/empty/dev" "$work/empty/root"
mknod -m 666 "$work/empty/dev/null" c 1 3
cp "$file" "$work/empty/lore"
cp -r "$bare/root/documents" "$bare/root/.local" "$work/empty/root/"
rm -rf "$work/empty/root/documents/.lore"
mount --bind "$bare/proc" "$work/empty/proc"
alone() { env -i HOME=/root "$(command -v chroot)" "$work/empty" /lore "$@"; }
expect 0 "Documents: 13 added" alone index /root/documents
expect 0 "pump-manual.pdf" alone search "pump alarm" -k 2 --index /root/documents/.lore

part "A processor of 2008"
export XDG_CACHE_HOME=$work/cache
"$file" --version >"$work/version"
program=$(echo "$work"/cache/lore/program/*/bin/lore)
mkdir "$work/documents"  # few, for this is slow
for name in pump-manual.pdf lease-scan.pdf; do
  cp "examples/documents/$name" "$work/documents/"
done
[ -z "$tried" ] || cp "$bare"/root/pdfs/*.pdf "$work/documents/"
count=$(find "$work/documents" -type f | wc -l)
# The emulator leaves what a program executes to the machine. In a namespace of its own, where the
# kernel has that for binary formats (Linux 6.7), it is the interpreter of these two programs, known by
# their headers; else the unpacked program is emulated, but the processes that read PDFs are not.
emulated() {
  unshare --mount --user --map-root-user bash -euc '
    mkdir -p "$1"
    mount -t binfmt_misc none "$1"
    for elf in "$2" "$3"; do
      magic=$(od -An -v -tx1 -j24 -N24 "$elf" | tr -d "\n" | sed "s/ /\\\\x/g")
      printf ":%s:M:24:%s::%s:" "${elf##*/}" "$magic" "$(command -v qemu-x86_64)" >"$1/register"
    done
    QEMU_CPU=Nehalem "${@:4}"' - "$work/binfmt" "$file" "$program" "$@"
}
old() { emulated "$file" "$@"; }
if ! emulated true 2>"$work/log"; then
  echo "NOT EMULATED: the processes that read PDFs, for this kernel has no namespaces for that"
  old() { qemu-x86_64 -cpu Nehalem "$program" "$@"; }
fi
rm -rf "$work/cache"
qemu-x86_64 -cpu Nehalem "$file" --version  # unpacks
cd "$work/documents"
expect 0 "sse41 (of scalar, sse41)" old doctor
expect 0 "Documents: $count added" old index
expect 0 "pump-manual.pdf" old search "pump alarm" -k 2

printf '\n%s\n' "The single file works: $size bytes."
