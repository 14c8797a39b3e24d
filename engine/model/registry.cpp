#include "engine/model/registry.hpp"

#include <array>
#include <string>
#include <string_view>

#include "engine/gguf/quote.hpp"
#include "engine/model/families.hpp"

namespace lore::engine::model {
namespace {

struct Family {
  std::string_view architecture;
  Description (*build)(Builder&);
};

constexpr std::array kFamilies = {
    Family{"bert", build_bert},
    Family{"gemma3", build_gemma3},
    Family{"llama", build_llama},
    Family{"qwen2", build_qwen2},
};

}  // namespace

Description build_graph(Builder& builder) {
  std::string known;
  for (const Family& family : kFamilies) {
    if (family.architecture == builder.architecture()) return family.build(builder);
    known += known.empty() ? "" : ", ";
    known += family.architecture;
  }
  builder.refuse("architecture " + gguf::quote(builder.architecture()) +
                 " is not supported; supported are " + known);
}

}  // namespace lore::engine::model
