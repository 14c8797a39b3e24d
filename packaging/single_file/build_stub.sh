#!/bin/sh
# Compiles what unpacks the single file:
#   build_stub.sh OUT
# With musl it is static and a tenth as large as with glibc. Of libstdc++ it takes headers alone; those
# ask for glibc's version, and musl has none.
set -eu
here=$(dirname "$0")
version=$(g++ -dumpversion | cut -d. -f1)
machine=$(g++ -dumpmachine)
g++ -specs "/usr/lib/x86_64-linux-musl/musl-gcc.specs" -static -s -std=c++20 -O2 \
  -fno-exceptions -fno-rtti "-D__GLIBC_PREREQ(major,minor)=0" \
  -isystem "/usr/include/c++/$version" -isystem "/usr/include/$machine/c++/$version" \
  -idirafter /usr/include -idirafter "/usr/include/$machine" -I "$here/../.." \
  -o "$1" "$here"/main.cpp "$here"/archive.cpp "$here"/place.cpp "$here"/unpack.cpp \
  "$(g++ -print-file-name=liblzma.a)"
