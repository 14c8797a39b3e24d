"""A source to PDF through LibreOffice Writer, by way of a flat OpenDocument file."""
import pathlib
import subprocess
import tempfile
from xml.sax.saxutils import escape

from . import source as src

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:meta><dc:title>{title}</dc:title><meta:initial-creator>{author}</meta:initial-creator>
</office:meta>
<office:styles>
<style:default-style style:family="paragraph"><style:paragraph-properties
 fo:margin-bottom="0.2cm" fo:hyphenation-ladder-count="no-limit"/>
<style:text-properties style:font-name="Liberation Serif" fo:font-family="'Liberation Serif'"
 fo:font-size="11pt" fo:language="{language}" fo:country="{country}"/></style:default-style>
<style:style style:name="Standard" style:family="paragraph"/>
<style:style style:name="Heading_1" style:display-name="Heading 1" style:family="paragraph"
 style:parent-style-name="Standard" style:default-outline-level="1"><style:paragraph-properties
 fo:margin-top="0.5cm" fo:keep-with-next="always"/><style:text-properties
 fo:font-family="'Liberation Sans'" fo:font-size="17pt" fo:font-weight="bold"/></style:style>
<style:style style:name="Heading_2" style:display-name="Heading 2" style:family="paragraph"
 style:parent-style-name="Standard" style:default-outline-level="2"><style:paragraph-properties
 fo:margin-top="0.4cm" fo:keep-with-next="always"/><style:text-properties
 fo:font-family="'Liberation Sans'" fo:font-size="13pt" fo:font-weight="bold"/></style:style>
</office:styles>
<office:automatic-styles>
<style:style style:name="Break" style:family="paragraph" style:parent-style-name="Heading_1">
<style:paragraph-properties fo:break-before="page"/></style:style>
<style:style style:name="Cell" style:family="table-cell"><style:table-cell-properties
 fo:padding="0.1cm" fo:border="0.5pt solid #808080"/></style:style>
<style:style style:name="Bold" style:family="paragraph" style:parent-style-name="Standard">
<style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="Small" style:family="paragraph" style:parent-style-name="Standard">
<style:text-properties fo:font-size="9pt"/></style:style>
{styles}
<text:list-style style:name="Bullets"><text:list-level-style-bullet text:level="1"
 text:bullet-char="•"><style:list-level-properties text:space-before="0.4cm"
 text:min-label-width="0.5cm"/></text:list-level-style-bullet></text:list-style>
<text:list-style style:name="Numbers"><text:list-level-style-number text:level="1"
 style:num-format="1" style:num-suffix="."><style:list-level-properties
 text:space-before="0.4cm" text:min-label-width="0.6cm"/></text:list-level-style-number>
</text:list-style>
<style:page-layout style:name="A4"><style:page-layout-properties fo:page-width="21cm"
 fo:page-height="29.7cm" fo:margin="2cm"/><style:header-style><style:header-footer-properties
 fo:min-height="0.8cm"/></style:header-style><style:footer-style>
<style:header-footer-properties fo:min-height="0.8cm"/></style:footer-style></style:page-layout>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="A4">
<style:header><text:p text:style-name="Small">{header}</text:p></style:header>
<style:footer><text:p text:style-name="Small">{page} <text:page-number
 text:select-page="current">1</text:page-number></text:p></style:footer>
</style:master-page></office:master-styles>
<office:body><office:text>
"""


def list_items(blocks, name):
    items = "".join("<text:list-item><text:p>%s</text:p></text:list-item>"
                    % escape(b.text if b.kind == "bullet" else b.text.partition(" ")[2])
                    for b in blocks)
    return '<text:list text:style-name="%s">%s</text:list>' % (name, items)


class Writer:
    def __init__(self):
        self.styles = []
        self.parts = []
        self.tables = 0

    def table(self, rows):
        self.tables += 1
        name = "T%d" % self.tables
        columns = []
        for i, share in enumerate(src.column_shares(rows)):
            self.styles.append('<style:style style:name="%s.%d" style:family="table-column">'
                               '<style:table-column-properties style:column-width="%.2fcm"/>'
                               "</style:style>" % (name, i, share * 17))
            columns.append('<table:table-column table:style-name="%s.%d"/>' % (name, i))
        lines = []
        for i, row in enumerate(rows):
            style = "Bold" if i == 0 else "Standard"
            line = "".join('<table:table-cell table:style-name="Cell"><text:p text:style-name="%s">'
                           "%s</text:p></table:table-cell>" % (style, escape(cell)) for cell in row)
            lines.append("<table:table-row>%s</table:table-row>" % line)
        head = "<table:table-header-rows>%s</table:table-header-rows>" % lines[0]
        self.parts.append('<table:table table:name="%s">%s%s%s</table:table><text:p/>'
                          % (name, "".join(columns), head, "".join(lines[1:])))

    def run(self, blocks):
        new_page = False
        index = 0
        while index < len(blocks):
            block = blocks[index]
            index += 1
            if block.kind == "page":
                new_page = True
            elif block.kind == "heading":
                style = "Break" if new_page else "Heading_%d" % block.level
                new_page = False
                self.parts.append('<text:h text:style-name="%s" text:outline-level="%d">%s</text:h>'
                                  % (style, block.level, escape(block.text)))
            elif block.kind in ("bullet", "number"):
                start = index - 1
                while index < len(blocks) and blocks[index].kind == block.kind:
                    index += 1
                self.parts.append(list_items(blocks[start:index],
                                             "Bullets" if block.kind == "bullet" else "Numbers"))
            elif block.kind == "table":
                self.table(block.rows)
            else:
                self.parts.append("<text:p>%s</text:p>" % escape(block.text))


def make(source, target):
    writer = Writer()
    writer.run(source.blocks)
    german = source.get("language") == "de"
    text = HEAD.format(title=escape(source.get("title")), author=escape(source.get("author")),
                       header=escape(source.get("header")), styles="".join(writer.styles),
                       language="de" if german else "en", country="DE" if german else "GB",
                       page="Seite" if german else "Page")
    text += "".join(writer.parts) + "</office:text></office:body></office:document>"
    with tempfile.TemporaryDirectory() as folder:
        name = pathlib.Path(folder) / "document.fodt"
        name.write_text(text, encoding="utf-8")
        subprocess.run(["soffice", "--headless", "-env:UserInstallation=file://%s/profile" % folder,
                        "--convert-to", 'pdf:writer_pdf_Export:{"ExportBookmarks":'
                        '{"type":"boolean","value":"true"}}', "--outdir", folder, str(name)],
                       check=True, capture_output=True)
        target.write_bytes(name.with_suffix(".pdf").read_bytes())
