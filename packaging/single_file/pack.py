#!/usr/bin/env python3
"""Appends a folder to the stub that unpacks it (archive.hpp tells the format).

  pack.py STUB FOLDER VERSION OUT

The same folder and stub always give the same bytes.
"""

import hashlib
import io
import lzma
import pathlib
import struct
import sys
import tarfile

MAGIC = b"lore-xz1"
LZMA = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "nice_len": 273}
# The jumps of machine code repeat when their targets are absolute; text has no alignment.
FOR_CODE = [{"id": lzma.FILTER_X86}, LZMA | {"dict_size": 1 << 26, "lc": 4}]
FOR_TEXT = [LZMA | {"dict_size": 1 << 24, "lc": 3, "pb": 0}]


def tar(folder, files):
    """The files as a tar archive without what differs between machines."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for file in files:
            info = tarfile.TarInfo(str(file.relative_to(folder)))
            if len(info.name) >= 100:
                sys.exit(f"pack: the name {info.name} is too long")
            info.size = file.stat().st_size
            info.mode = 0o755 if file.stat().st_mode & 0o100 else 0o644
            with open(file, "rb") as source:
                archive.addfile(info, source)
    return out.getvalue()


def compressed(files, folder, filters):
    return lzma.compress(tar(folder, files), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64,
                         filters=filters)


def main():
    stub, folder, version, out = sys.argv[1:5]
    folder = pathlib.Path(folder).resolve()
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    code = [file for file in files if file.relative_to(folder).parts[0] in ("bin", "lib")]
    text = [file for file in files if file not in set(code)]
    packed = compressed(code, folder, FOR_CODE) + compressed(text, folder, FOR_TEXT)
    unpacked = sum(file.stat().st_size for file in files)
    name = f"{version}-{hashlib.sha256(packed).hexdigest()[:16]}".encode()
    if len(name) >= 40:
        sys.exit(f"pack: the version {version} is too long")
    header = struct.pack("<8sQQ40s", MAGIC, len(packed), unpacked, name)
    target = pathlib.Path(out)
    target.write_bytes(pathlib.Path(stub).read_bytes() + header + packed)
    target.chmod(0o755)


if __name__ == "__main__":
    main()
