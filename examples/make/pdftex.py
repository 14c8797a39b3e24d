"""A source to PDF through pdfTeX."""
import pathlib
import re
import subprocess
import tempfile

from . import source as src

SPECIAL = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
           "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
           "^": r"\textasciicircum{}", "°": r"\textdegree{}", "³": r"\textthreesuperior{}",
           "×": r"$\times$", "µ": r"\textmu{}", "Ω": r"$\Omega$"}


def escape(text):
    return "".join(SPECIAL.get(c, c) for c in text)


def preamble(source):
    two = source.get("columns") == "2"
    lines = [r"\documentclass[a4paper,%s]{article}" % ("11pt,twocolumn" if two else "11pt"),
             r"\usepackage[utf8]{inputenc}", r"\usepackage[T1]{fontenc}", r"\usepackage{textcomp}",
             r"\usepackage[margin=%s]{geometry}" % ("23mm" if two else "25mm"),
             r"\usepackage{fancyhdr}", r"\usepackage{array}",
             r"\usepackage[pdftex,hidelinks]{hyperref}",
             r"\hypersetup{pdftitle={%s},pdfauthor={%s}}" % (escape(source.get("title")),
                                                           escape(source.get("author"))),
             r"\pdfinfoomitdate=1 \pdftrailerid{} \pdfsuppressptexinfo=-1",
             r"\setlength{\parindent}{0pt}\setlength{\parskip}{5pt}",
             r"\setlength{\tabcolsep}{4pt}\setlength{\columnsep}{22pt}"]
    if two:  # with a map to Unicode here, without one in the other document
        lines += [r"\usepackage{mathpazo}", r"\input{glyphtounicode}", r"\pdfgentounicode=1",
                  r"\setlength{\parindent}{1em}\setlength{\parskip}{0pt}\linespread{1.12}"]
    else:
        lines += [r"\usepackage{mathptmx}", r"\usepackage[scaled]{helvet}"]
    if source.get("header"):
        lines += [r"\pagestyle{fancy}\fancyhf{}\lhead{%s}\rfoot{\thepage}"
                  % escape(source.get("header")), r"\setlength{\headheight}{14pt}"]
    return lines


def table(rows, width):
    shares = src.column_shares(rows)
    usable = 0.98 - 0.035 * len(shares)  # the rest is the space between the columns
    spec = "".join(r">{\raggedright\arraybackslash}p{%.3f%s}" % (s * usable, width) for s in shares)
    lines = [r"\begin{center}\small\begin{tabular}{%s}\hline" % spec]
    for i, row in enumerate(rows):
        texts = [escape(cell) for cell in row]
        if i == 0:
            texts = [r"\textbf{%s}" % text for text in texts]
        lines.append(" & ".join(texts) + r" \\" + (r"\hline" if i == 0 else ""))
    return lines + [r"\hline\end{tabular}\end{center}"]


def body(source):
    two = source.get("columns") == "2"
    lines, opened = [], None
    roman = int(source.get("roman", "0"))
    page = 1
    if two:
        lines.append(r"\twocolumn[\begin{center}{\LARGE %s\par}\vspace{6pt}{\large %s\par}"
                     r"\vspace{14pt}\end{center}]" % (escape(source.get("title")),
                                                      escape(source.get("author"))))
    if roman:
        lines.append(r"\pagenumbering{roman}")
    for block in source.blocks:
        wanted = {"bullet": "itemize", "number": "enumerate"}.get(block.kind)
        if opened and wanted != opened:
            lines.append(r"\end{%s}" % opened)
        if wanted and wanted != opened:
            lines.append(r"\begin{%s}" % wanted)
        opened = wanted
        if block.kind == "page":
            page += 1
            lines.append(r"\clearpage")
            if page == roman + 1:
                lines.append(r"\pagenumbering{arabic}")
        elif block.kind == "heading":
            command = ["section*", "subsection*", "subsubsection*"][block.level - 1]
            lines.append(r"\%s{%s}" % (command, escape(block.text)))
            lines.append(r"\addcontentsline{toc}{%s}{%s}" % (command.rstrip("*"),
                                                           escape(block.text)))
        elif block.kind == "bullet":
            lines.append(r"\item " + escape(block.text))
        elif block.kind == "number":
            lines.append(r"\item " + escape(re.sub(r"^\d+\. ", "", block.text)))
        elif block.kind == "table":
            lines += table(block.rows, r"\columnwidth")
        else:
            lines.append(escape(block.text) + "\n")
    if opened:
        lines.append(r"\end{%s}" % opened)
    return lines


def make(source, target):
    text = "\n".join(preamble(source) + [r"\begin{document}"] + body(source) + [r"\end{document}"])
    with tempfile.TemporaryDirectory() as folder:
        name = pathlib.Path(folder) / "document.tex"
        name.write_text(text, encoding="utf-8")
        for _ in range(2):
            run = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name.name],
                                 cwd=folder, capture_output=True, text=True, errors="replace")
            if run.returncode != 0:
                raise SystemExit(run.stdout[-3000:])
        target.write_bytes(name.with_suffix(".pdf").read_bytes())
