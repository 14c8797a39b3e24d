#include "ingest/pdf/pdf.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/utf8.hpp"
#include "ingest/pdf/interpreter.hpp"
#include "ingest/pdf/layout.hpp"
#include "ingest/pdf/outline.hpp"
#include "ingest/pdf/page_tree.hpp"
#include "ingest/pdf/pdf_file.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxTitle = 300;  // bytes
constexpr double kScanShare = 0.05;     // of the page that pictures must cover
constexpr std::size_t kMaxPageText = std::size_t{32} << 20;

/// A title as people wrote it: not the name of a file or of the program's template.
std::string sensible_title(std::string title) {
  constexpr std::string_view kWord = "Microsoft Word - ";
  if (title.rfind(kWord, 0) == 0) title.erase(0, kWord.size());
  for (char& c : title) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  const std::size_t start = title.find_first_not_of(' ');
  if (start == std::string::npos || title.size() > kMaxTitle) return {};
  title = title.substr(start, title.find_last_not_of(' ') - start + 1);
  std::string lower = title;
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (lower == "untitled" || lower == "title" || lower == "document") return {};
  for (const std::string_view ending : {".doc", ".docx", ".pdf", ".tex", ".dvi", ".indd", ".odt",
                                        ".rtf", ".qxd", ".ps", ".pub", ".xls", ".ppt"}) {
    if (lower.size() > ending.size() &&
        lower.compare(lower.size() - ending.size(), ending.size(), ending) == 0) {
      return {};
    }
  }
  return title;
}

void finish_record(PageRecord& record, const PageContent& content) {
  std::size_t bytes = 0;
  for (const TextBlock& block : record.blocks) {
    for (const TextLine& line : block.lines) bytes += line.text.size();
  }
  const double area = content.width * content.height;
  record.state = bytes > 0                                ? PageState::text
                 : content.image_area > kScanShare * area ? PageState::image_only
                                                          : PageState::empty;
  if (bytes > kMaxPageText) {
    record.blocks.clear();
    record.state = PageState::failed;
    record.note = "the page has more text than lore reads of one page";
    return;
  }
  for (const std::string& problem : content.problems) {
    if (!record.note.empty()) record.note += "; ";
    record.note += problem;
  }
  // Nothing was read and something was wrong: that is no empty page.
  if (record.state == PageState::empty && !record.note.empty()) record.state = PageState::failed;
}

}  // namespace

struct PdfReader::Parts {
  Parts(std::string_view bytes, std::span<const std::string> passwords, const WorkerFiles& files)
      : file(bytes, passwords, files.cipher_modules),
        tree(walk_pages(file.objects(), file.catalog())),
        labels(page_labels(file.objects(), file.catalog(), tree.pages.size())),
        context(file, files.character_maps) {
    const Objects& objects = file.objects();
    info.page_count = tree.pages.size();
    info.title =
        sensible_title(objects.text(objects.get(objects.get(file.trailer(), "Info"), "Title")));
    info.outline = read_outline(objects, file.catalog(), tree);
    info.problems = tree.problems;
    if (file.repaired()) {
      info.problems.insert(info.problems.begin(),
                           "the file's cross-reference is damaged and was rebuilt");
    }
  }

  PdfFile file;
  PageTree tree;
  std::vector<std::string> labels;
  DocumentContext context;
  DocumentInfo info;
};

PdfReader::PdfReader(std::string_view bytes, std::span<const std::string> passwords,
                     const WorkerFiles& files) try
    : parts_(std::make_unique<Parts>(bytes, passwords, files)) {
  if (parts_->info.page_count == 0) {
    throw OpenError{"damaged",
                    "the PDF has no pages that can be found; open it in a PDF viewer "
                    "and save it anew"};
  }
} catch (const PoDoFo::PdfError& error) {  // which is no std::exception
  throw OpenError{"damaged", std::string("the PDF could not be read (") + error.what() +
                                 "); open it in a PDF viewer and save it anew"};
}

PdfReader::~PdfReader() = default;

const DocumentInfo& PdfReader::info() const noexcept { return parts_->info; }

PageRecord PdfReader::page(std::size_t index) {
  PageRecord record;
  record.label = parts_->labels[index];
  const PageNode& node = parts_->tree.pages[index];
  if (node.page == nullptr) {
    record.state = PageState::failed;
    record.note = node.problem;
    return record;
  }
  const auto fail = [&record](const char* reason) {
    record.blocks.clear();
    record.state = PageState::failed;
    record.note = std::string("the page could not be read (") + reason + ")";
  };
  try {
    const PageContent content = Interpreter(parts_->context, node).run();
    record.blocks = lay_out(content);
    record.unmapped_glyphs = content.unmapped;
    finish_record(record, content);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const PoDoFo::PdfError& error) {
    fail(error.what());
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return record;
}

}  // namespace lore::ingest::pdf
