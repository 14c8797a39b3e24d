"""A source to PDF through ReportLab: flowing text, tables, forms, and scans."""
import io
import random

from PIL import Image
from reportlab.lib import colors, pagesizes
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen import canvas
from reportlab.platypus import (Flowable, ListFlowable, PageBreak, Paragraph, SimpleDocTemplate,
                                Spacer, Table, TableStyle)
from xml.sax.saxutils import escape

from . import cairo_print
from . import source as src

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=13.5, spaceAfter=6)
CELL = ParagraphStyle("cell", parent=BODY, fontSize=9, leading=11, spaceAfter=0)
HEAD_CELL = ParagraphStyle("head", parent=CELL, fontName="Helvetica-Bold")
HEADINGS = {1: ParagraphStyle("h1", parent=BODY, fontName="Helvetica-Bold", fontSize=17, leading=22,
                              spaceBefore=6, spaceAfter=8),
            2: ParagraphStyle("h2", parent=BODY, fontName="Helvetica-Bold", fontSize=12.5,
                              leading=16, spaceBefore=8)}
WIDTH = pagesizes.A4[0] - 120


class Field(Flowable):
    """A label, and a text field with its value."""

    def __init__(self, label, value):
        super().__init__()
        self.label, self.value = label, value
        self.width, self.height = WIDTH, 24

    def draw(self):
        self.canv.setFont("Helvetica", 10)
        self.canv.drawString(0, 8, self.label)
        self.canv.acroForm.textfield(name=self.label, value=self.value, x=150, y=2, width=320,
                                     height=18, fontSize=10, borderWidth=0.5, relative=True,
                                     fontName="Helvetica", forceBorder=True)


def table(rows):
    data = [[Paragraph(escape(cell), HEAD_CELL if i == 0 else CELL) for cell in row]
            for i, row in enumerate(rows)]
    flowable = Table(data, colWidths=[share * WIDTH for share in src.column_shares(rows)],
                     repeatRows=1, spaceAfter=10)
    flowable.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
                                  ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
                                  ("VALIGN", (0, 0), (-1, -1), "TOP")]))
    return flowable


def flowables(source):
    story = []
    for block in source.blocks:
        if block.kind == "page":
            story.append(PageBreak())
        elif block.kind == "heading":
            story.append(Paragraph(escape(block.text), HEADINGS[block.level]))
        elif block.kind == "bullet":
            story.append(ListFlowable([Paragraph(escape(block.text), BODY)], bulletType="bullet",
                                      start="•", leftIndent=14))
        elif block.kind == "table":
            story.append(table(block.rows))
        elif block.kind == "field":
            story.append(Field(*block.rows[0]))
        else:
            story.append(Paragraph(escape(block.text), BODY))
    return story


def make(source, target):
    def decorate(canv, document):
        canv.setFont("Helvetica", 8)
        canv.drawString(60, pagesizes.A4[1] - 36, source.get("header"))
        canv.drawRightString(pagesizes.A4[0] - 60, 30, "Page %d" % document.page)

    document = SimpleDocTemplate(str(target), pagesize=pagesizes.A4, leftMargin=60, rightMargin=60,
                                 topMargin=56, bottomMargin=56, title=source.get("title"),
                                 author=source.get("author"), invariant=1)
    document.build(flowables(source) + [Spacer(1, 1)], onFirstPage=decorate, onLaterPages=decorate)


def make_scan(source, target):
    """Pictures of pages, slightly askew and speckled, without any text."""
    random.seed(1997)
    canv = canvas.Canvas(str(target), pagesize=pagesizes.A4, invariant=1)
    canv.setTitle(source.get("title"))
    for data, width, height in cairo_print.pictures(source, 150 / 72):
        picture = Image.frombuffer("RGB", (width, height), data, "raw", "BGRX", 0, 1).convert("L")
        picture = picture.rotate(random.uniform(-0.6, 0.6), fillcolor=255,
                                 resample=Image.Resampling.BILINEAR)
        for _ in range(400):
            picture.putpixel((random.randrange(width), random.randrange(height)), 40)
        stream = io.BytesIO()
        picture.convert("1").save(stream, "PNG")
        canv.drawImage(ImageReader(stream), 0, 0, *pagesizes.A4)
        canv.showPage()
    canv.save()
