#include "pipeline/citations/relation_words.hpp"

#include <algorithm>
#include <array>

namespace lore::pipeline::citations {
namespace {

using Word = std::string_view;

struct Relation {
  Word word;  // folded; a content word is stemmed
  Word name;
  Bound bound = Bound::none;
};

constexpr std::array kRelations = {
    Relation{"of", "of"},
    Relation{"by", "by"},
    Relation{"with", "with"},
    Relation{"for", "for"},
    Relation{"in", "in"},
    Relation{"on", "on"},
    Relation{"at", "at"},
    Relation{"as", "as"},
    Relation{"than", "than"},
    Relation{"between", "between"},
    Relation{"through", "through"},
    Relation{"via", "through"},
    Relation{"but", "but"},
    Relation{"because", "because"},
    Relation{"if", "if"},
    Relation{"when", "if"},
    Relation{"from", "from", Bound::low},
    Relation{"since", "from", Bound::low},
    Relation{"after", "after", Bound::low},
    Relation{"above", "over", Bound::low},
    Relation{"over", "over", Bound::low},
    Relation{"least", "least", Bound::low},
    Relation{"minimum", "minimum", Bound::low},
    Relation{"more", "more", Bound::low},
    Relation{">", "more", Bound::low},
    Relation{"to", "to", Bound::high},
    Relation{"into", "to", Bound::high},
    Relation{"onto", "to", Bound::high},
    Relation{"until", "to", Bound::high},
    Relation{"till", "to", Bound::high},
    Relation{"before", "before", Bound::high},
    Relation{"within", "before", Bound::high},
    Relation{"below", "under", Bound::high},
    Relation{"under", "under", Bound::high},
    Relation{"most", "most", Bound::high},
    Relation{"maximum", "maximum", Bound::high},
    Relation{"max", "maximum", Bound::high},
    Relation{"less", "less", Bound::high},
    Relation{"few", "less", Bound::high},
    Relation{"fewer", "less", Bound::high},
    Relation{"<", "less", Bound::high},
    Relation{"mit", "with"},
    Relation{"fur", "for"},
    Relation{"im", "in"},
    Relation{"am", "an"},
    Relation{"an", "an"},
    Relation{"auf", "auf"},
    Relation{"um", "by"},
    Relation{"bei", "bei"},
    Relation{"beim", "bei"},
    Relation{"als", "than"},
    Relation{"zwischen", "between"},
    Relation{"durch", "through"},
    Relation{"sondern", "but"},
    Relation{"weil", "because"},
    Relation{"wenn", "if"},
    Relation{"zu", "zu"},
    Relation{"zum", "zu"},
    Relation{"zur", "zu"},
    Relation{"von", "from", Bound::low},
    Relation{"vom", "from", Bound::low},
    Relation{"aus", "from", Bound::low},
    Relation{"ab", "from", Bound::low},
    Relation{"seit", "from", Bound::low},
    Relation{"nach", "after", Bound::low},
    Relation{"uber", "over", Bound::low},
    Relation{"mindesten", "least", Bound::low},
    Relation{"minimal", "minimum", Bound::low},
    Relation{"fruhesten", "least", Bound::low},
    Relation{"mehr", "more", Bound::low},
    Relation{"bis", "to", Bound::high},
    Relation{"vor", "before", Bound::high},
    Relation{"innerhalb", "before", Bound::high},
    Relation{"binn", "before", Bound::high},
    Relation{"unt", "under", Bound::high},
    Relation{"unter", "under", Bound::high},
    Relation{"hochsten", "most", Bound::high},
    Relation{"maximal", "maximum", Bound::high},
    Relation{"spatesten", "most", Bound::high},
    Relation{"wenig", "less", Bound::high},
    Relation{"weniger", "less", Bound::high},
};

// Stems.
constexpr std::array kMore = {Word{"great"},   Word{"high"},  Word{"long"},  Word{"larg"},
                              Word{"heavi"},   Word{"fast"},  Word{"later"}, Word{"older"},
                              Word{"deep"},    Word{"wid"},   Word{"thick"}, Word{"bigg"},
                              Word{"lang"},    Word{"hoher"}, Word{"gross"}, Word{"schwer"},
                              Word{"schnell"}, Word{"spat"},  Word{"alter"}, Word{"dick"}};
constexpr std::array kLess = {
    Word{"lower"},  Word{"short"},   Word{"small"}, Word{"light"}, Word{"slow"},    Word{"earli"},
    Word{"young"},  Word{"narrow"},  Word{"thinn"}, Word{"kurz"},  Word{"niedrig"}, Word{"klein"},
    Word{"leicht"}, Word{"langsam"}, Word{"fruh"},  Word{"jung"},  Word{"dunn"}};

constexpr std::array kPossible = {Word{"can"},    Word{"could"}, Word{"may"},
                                  Word{"might"},  Word{"kann"},  Word{"konnen"},
                                  Word{"konnte"}, Word{"darf"},  Word{"durfen"}};
constexpr std::array kAdvised = {Word{"should"}, Word{"soll"}, Word{"sollen"}, Word{"sollte"}};
constexpr std::array kNeeded = {Word{"must"}, Word{"shall"}, Word{"muss"}, Word{"mussen"}};

template <typename Table>
bool in(const Table& table, Word word) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

}  // namespace

std::string_view relation_word(std::string_view word) {
  const auto found =
      std::find_if(kRelations.begin(), kRelations.end(),
                   [word](const Relation& relation) { return relation.word == word; });
  return found == kRelations.end() ? Word{} : found->name;
}

bool relation_joins(std::string_view word) {
  return word == "von" || bound_of_relation(relation_word(word)) == Bound::none;
}

Bound bound_of_relation(std::string_view relation) {
  const auto found = std::find_if(kRelations.begin(), kRelations.end(),
                                  [relation](const auto& row) { return row.name == relation; });
  return found == kRelations.end() ? Bound::none : found->bound;
}

bool is_comparison_bound(std::string_view relation, bool of_place) {
  return relation == "more" || relation == "less" || relation == "least" || relation == "most" ||
         (of_place && (relation == "over" || relation == "under"));
}

Bound bound_of_comparative(std::string_view stem) {
  return in(kMore, stem) ? Bound::low : in(kLess, stem) ? Bound::high : Bound::none;
}

std::string_view case_of_article(std::string_view article) {
  if (article == "dem" || article == "einem") return "dem";
  if (article == "den" || article == "einen") return "den";
  if (article == "des" || article == "eines") return "des";
  return {};
}

bool is_case(std::string_view relation) {
  return relation == "dem" || relation == "den" || relation == "des";
}

Modality modality_of(std::string_view word) {
  if (in(kPossible, word)) return Modality::possible;
  if (in(kAdvised, word)) return Modality::advised;
  return in(kNeeded, word) ? Modality::needed : Modality::none;
}

}  // namespace lore::pipeline::citations
