#include "tests/ingest/pdf/pdf_builder.hpp"

#include <zlib.h>

#include <array>
#include <cstdio>
#include <stdexcept>

namespace lore::ingest::pdf::test {

int PdfBuilder::add(std::string text) {
  objects_.push_back(std::move(text));
  return static_cast<int>(objects_.size());
}

void PdfBuilder::set(int number, std::string text) {
  objects_.at(static_cast<std::size_t>(number - 1)) = std::move(text);
}

int PdfBuilder::add_stream(std::string_view data, std::string_view dictionary) {
  std::string text = "<<" + std::string(dictionary);
  if (dictionary.find("/Length") == std::string_view::npos) {
    text += "/Length " + std::to_string(data.size());
  }
  return add(text + ">>\nstream\n" + std::string(data) + "\nendstream");
}

std::string PdfBuilder::resources(std::string_view more_fonts) {
  return "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica"
         "/Encoding/WinAnsiEncoding>>/FB<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold"
         "/Encoding/WinAnsiEncoding>>" +
         std::string(more_fonts) + ">>>>";
}

int PdfBuilder::add_page(std::string_view content, std::string_view more) {
  const int stream = add_stream(content);
  std::string text =
      "<</Type/Page/MediaBox[0 0 612 792]/Contents " + std::to_string(stream) + " 0 R";
  if (more.find("/Resources") == std::string_view::npos) text += resources();
  text += std::string(more) + ">>";
  const int page = add(text);
  pages_.push_back(page);
  return page;
}

std::string PdfBuilder::build(std::string_view catalog) {
  std::string kids;
  for (const int page : pages_) kids += std::to_string(page) + " 0 R ";
  const int tree =
      add("<</Type/Pages/Count " + std::to_string(pages_.size()) + "/Kids[" + kids + "]>>");
  const int root =
      add("<</Type/Catalog/Pages " + std::to_string(tree) + " 0 R" + std::string(catalog) + ">>");
  return build_with_root(root);
}

std::string PdfBuilder::build_with_root(int root) const {
  std::string out = "%PDF-1.7\n";
  std::string table = "0000000000 65535 f \n";
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    std::array<char, 32> line{};
    std::snprintf(line.data(), line.size(), "%010zu 00000 n \n", out.size());
    table += line.data();
    out += std::to_string(i + 1) + " 0 obj\n" + objects_[i] + "\nendobj\n";
  }
  const std::size_t start = out.size();
  out += "xref\n0 " + std::to_string(objects_.size() + 1) + "\n" + table + "trailer\n<</Size " +
         std::to_string(objects_.size() + 1) + "/Root " + std::to_string(root) +
         " 0 R>>\nstartxref\n" + std::to_string(start) + "\n%%EOF\n";
  return out;
}

std::string text_at(double x, double y, std::string_view text, double size, std::string_view font) {
  std::string escaped;
  for (const char c : text) {
    if (c == '(' || c == ')' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return "BT /" + std::string(font) + " " + std::to_string(size) + " Tf " + std::to_string(x) +
         " " + std::to_string(y) + " Td (" + escaped + ") Tj ET\n";
}

namespace {

/// One run of zlib with this flush at the end.
std::string run_deflate(z_stream& stream, std::string_view input, int flush) {
  std::string out;
  std::array<char, 65536> buffer{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    deflate(&stream, flush);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  } while (stream.avail_out == 0);
  return out;
}

}  // namespace

std::string deflated(std::string_view data) {
  z_stream stream{};
  if (deflateInit(&stream, Z_BEST_COMPRESSION) != Z_OK) throw std::runtime_error("zlib");
  const std::string out = run_deflate(stream, data, Z_FINISH);
  deflateEnd(&stream);
  return out;
}

std::string deflated_run(char byte, std::size_t mebibytes) {
  const std::string block(std::size_t{1} << 20, byte);
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("zlib");
  }
  // After a full flush nothing refers back, so one compressed block can stand many times.
  const std::string compressed = run_deflate(stream, block, Z_FULL_FLUSH);
  deflateEnd(&stream);
  std::string out = "\x78\xDA";
  for (std::size_t i = 0; i < mebibytes; ++i) out += compressed;
  return out + std::string("\x03\x00", 2);  // an empty last block; no checksum
}

}  // namespace lore::ingest::pdf::test
