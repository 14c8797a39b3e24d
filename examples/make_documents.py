#!/usr/bin/env python3
"""Makes the PDF files of examples/documents from examples/sources. For developers only: the files
are kept in the repository, and neither the tests nor the quickstart run this.

Needs, on Debian 12: texlive-latex-base texlive-latex-recommended texlive-fonts-recommended
libreoffice-writer-nogui fonts-liberation fonts-dejavu-core fonts-wqy-microhei python3-cairo
python3-gi python3-gi-cairo gir1.2-pango-1.0 python3-reportlab qpdf. Run it with /usr/bin/python3.

    examples/make_documents.py [NAME…]      all of them, or those that are named
"""
import pathlib
import subprocess
import sys

from make import cairo_print, libreoffice, pdftex, reportlab_print, source

HERE = pathlib.Path(__file__).resolve().parent
MAKERS = {"pdftex": pdftex.make, "libreoffice": libreoffice.make, "cairo": cairo_print.make,
          "reportlab": reportlab_print.make, "scan": reportlab_print.make_scan}


def encrypt(path):
    """With an owner's password only: whoever opens the file needs none."""
    plain = path.with_suffix(".plain")
    path.rename(plain)
    subprocess.run(["qpdf", "--static-id", "--encrypt", "", "calder-owner", "256", "--modify=none",
                    "--", str(plain), str(path)], check=True)
    plain.unlink()


def main(names):
    for path in sorted((HERE / "sources").glob("*.txt")):
        if names and path.stem not in names:
            continue
        document = source.read(path)
        target = HERE / "documents" / (path.stem + ".pdf")
        MAKERS[document.get("producer")](document, target)
        if document.get("encrypt"):
            encrypt(target)
        print("%-28s %-12s %7d bytes" % (target.name, document.get("producer"),
                                         target.stat().st_size))


if __name__ == "__main__":
    main(sys.argv[1:])
