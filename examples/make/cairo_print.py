"""A source to PDF, or to pictures of its pages, through Pango and Cairo."""
import cairo
import gi

gi.require_version("Pango", "1.0")
gi.require_version("PangoCairo", "1.0")
from gi.repository import Pango, PangoCairo  # noqa: E402

from . import source as src

WIDTH, HEIGHT, MARGIN = 595, 842, 62  # points, A4


class Printer:
    def __init__(self, context, source, new_page, family=None):
        self.context = context
        self.source = source
        self.new_page = new_page
        chinese = source.get("language") == "zh"
        self.family = family or ("WenQuanYi Micro Hei" if chinese else "DejaVu Serif")
        self.page = 1
        self.y = MARGIN

    def layout(self, text, size, width, bold=False):
        layout = PangoCairo.create_layout(self.context)
        layout.set_font_description(Pango.FontDescription(
            "%s %s%s" % (self.family, "Bold " if bold else "", size)))
        layout.set_width(int(width * Pango.SCALE))
        layout.set_wrap(Pango.WrapMode.WORD_CHAR)
        layout.set_text(text, -1)
        return layout

    def put(self, layout, x, y):
        self.context.move_to(x, y)
        PangoCairo.show_layout(self.context, layout)

    def end_page(self):
        self.put(self.layout("- %d -" % self.page, 9, 100), WIDTH / 2 - 15, HEIGHT - 45)
        self.new_page()
        self.page += 1
        self.y = MARGIN

    def line(self, text, size=10.5, indent=0, before=0, after=6, bold=False):
        layout = self.layout(text, size, WIDTH - 2 * MARGIN - indent, bold)
        height = layout.get_pixel_size()[1]
        if self.y + before + height > HEIGHT - MARGIN:
            self.end_page()
        self.put(layout, MARGIN + indent, self.y + before)
        self.y += before + height + after

    def table(self, rows):
        shares = src.column_shares(rows)
        width = WIDTH - 2 * MARGIN
        for i, row in enumerate(rows):
            cells = [self.layout(text, 10, share * width - 8, i == 0)
                     for text, share in zip(row, shares)]
            height = max(cell.get_pixel_size()[1] for cell in cells)
            if self.y + height > HEIGHT - MARGIN:
                self.end_page()
            x = MARGIN
            for cell, share in zip(cells, shares):
                self.put(cell, x, self.y)
                x += share * width
            self.y += height + 4
            self.context.set_line_width(0.4)
            self.context.move_to(MARGIN, self.y)
            self.context.line_to(WIDTH - MARGIN, self.y)
            self.context.stroke()
            self.y += 4
        self.y += 6

    def run(self):
        for block in self.source.blocks:
            if block.kind == "page":
                self.end_page()
            elif block.kind == "heading":
                self.line(block.text, {1: 18, 2: 13}.get(block.level, 11), before=8, bold=True)
            elif block.kind == "bullet":
                self.line("• " + block.text, indent=14)
            elif block.kind == "number":
                self.line(block.text, indent=14)
            elif block.kind == "table":
                self.table(block.rows)
            else:
                self.line(block.text)
        self.end_page()


def make(source, target):
    surface = cairo.PDFSurface(str(target), WIDTH, HEIGHT)
    surface.set_metadata(cairo.PDF_METADATA_TITLE, source.get("title"))
    surface.set_metadata(cairo.PDF_METADATA_AUTHOR, source.get("author"))
    context = cairo.Context(surface)
    Printer(context, source, context.show_page).run()
    surface.finish()


def pictures(source, scale):
    """The pages as grey images: (bytes, width, height, stride) each."""
    pages = []
    surface = cairo.ImageSurface(cairo.FORMAT_RGB24, int(WIDTH * scale), int(HEIGHT * scale))
    context = cairo.Context(surface)

    def paper():
        context.set_source_rgb(1, 1, 1)
        context.paint()
        context.set_source_rgb(0.1, 0.1, 0.1)

    def new_page():
        surface.flush()
        pages.append((bytes(surface.get_data()), surface.get_width(), surface.get_height()))
        paper()

    context.scale(scale, scale)
    paper()
    Printer(context, source, new_page, "Liberation Mono").run()
    return pages
