// Any bytes as a content stream, a CMap, a filtered stream and a damaged file: the parts of the
// PDF reader that need no PoDoFo, which makes this one fast.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/pdf/cmap.hpp"
#include "ingest/pdf/content_lexer.hpp"
#include "ingest/pdf/repair.hpp"
#include "ingest/pdf/stream_filters.hpp"

namespace lore::ingest::pdf {
namespace {

void read_content(std::string_view bytes) {
  ContentLexer lexer(bytes);
  Operand operand;
  for (;;) {
    const ContentLexer::Token token = lexer.next(operand);
    if (token == ContentLexer::Token::end) return;
    if (token == ContentLexer::Token::keyword && lexer.keyword() == "BI") {
      lexer.skip_inline_image();
    }
  }
}

void read_cmap(std::string_view bytes) {
  const CMap map = CMap::parse(bytes, [](std::string_view) -> const CMap* { return nullptr; });
  std::u32string text;
  std::uint32_t cid = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const CharacterCode code = map.next_code(bytes, at);
    map.unicode(code, text);
    map.cid(code, cid);
  }
}

void decode(std::string_view bytes) {
  if (bytes.size() < 4) return;
  const char* names[] = {"FlateDecode", "LZWDecode", "ASCII85Decode", "ASCIIHexDecode",
                         "RunLengthDecode"};
  std::vector<FilterStep> steps(2);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto choice = static_cast<unsigned char>(bytes[i]);
    steps[i].name = names[choice % 5];
    steps[i].predictor = choice / 5 % 16;
    steps[i].columns = static_cast<unsigned char>(bytes[i + 2]);
    steps[i].early_change = choice % 2 == 0;
  }
  apply_filters(bytes.substr(4), steps, std::size_t{1} << 20);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_content(bytes);
  read_cmap(bytes);
  decode(bytes);
  rebuild_cross_reference(bytes);
  return 0;
}

}  // namespace lore::ingest::pdf
