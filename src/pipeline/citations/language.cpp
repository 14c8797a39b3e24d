#include "pipeline/citations/language.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace lore::pipeline::citations {
namespace {

using Word = std::string_view;

// Folded: lower case, without accents (fur, uber), ß as ss.
constexpr std::array kEnglish = {
    Word{"a"},        Word{"an"},        Word{"the"},       Word{"of"},      Word{"to"},
    Word{"and"},      Word{"or"},        Word{"but"},       Word{"if"},      Word{"is"},
    Word{"are"},      Word{"was"},       Word{"were"},      Word{"be"},      Word{"been"},
    Word{"being"},    Word{"has"},       Word{"have"},      Word{"had"},     Word{"having"},
    Word{"do"},       Word{"does"},      Word{"did"},       Word{"doing"},   Word{"it"},
    Word{"its"},      Word{"this"},      Word{"that"},      Word{"these"},   Word{"those"},
    Word{"they"},     Word{"their"},     Word{"them"},      Word{"he"},      Word{"she"},
    Word{"his"},      Word{"her"},       Word{"him"},       Word{"we"},      Word{"our"},
    Word{"us"},       Word{"you"},       Word{"your"},      Word{"i"},       Word{"my"},
    Word{"me"},       Word{"who"},       Word{"whom"},      Word{"whose"},   Word{"which"},
    Word{"what"},     Word{"when"},      Word{"where"},     Word{"why"},     Word{"how"},
    Word{"there"},    Word{"here"},      Word{"then"},      Word{"so"},      Word{"as"},
    Word{"at"},       Word{"by"},        Word{"for"},       Word{"from"},    Word{"in"},
    Word{"into"},     Word{"on"},        Word{"onto"},      Word{"with"},    Word{"within"},
    Word{"about"},    Word{"between"},   Word{"during"},    Word{"through"}, Word{"than"},
    Word{"also"},     Word{"can"},       Word{"could"},     Word{"will"},    Word{"would"},
    Word{"shall"},    Word{"should"},    Word{"may"},       Word{"might"},   Word{"must"},
    Word{"per"},      Word{"via"},       Word{"such"},      Word{"while"},   Word{"whereas"},
    Word{"because"},  Word{"since"},     Word{"until"},     Word{"both"},    Word{"each"},
    Word{"any"},      Word{"some"},      Word{"other"},     Word{"own"},     Word{"just"},
    Word{"up"},       Word{"down"},      Word{"out"},       Word{"off"},     Word{"over"},
    Word{"again"},    Word{"s"},         Word{"according"}, Word{"states"},  Word{"stated"},
    Word{"document"}, Word{"passage"},   Word{"page"},      Word{"get"},     Word{"before"},
    Word{"after"},    Word{"above"},     Word{"below"},     Word{"under"},   Word{"means"},
    Word{"mean"},     Word{"indicates"}, Word{"indicate"},  Word{"called"},  Word{"named"}};

constexpr std::array kGerman = {
    Word{"der"},     Word{"die"},      Word{"das"},      Word{"den"},      Word{"dem"},
    Word{"des"},     Word{"ein"},      Word{"eine"},     Word{"einer"},    Word{"einem"},
    Word{"einen"},   Word{"eines"},    Word{"und"},      Word{"oder"},     Word{"aber"},
    Word{"wenn"},    Word{"ist"},      Word{"sind"},     Word{"war"},      Word{"waren"},
    Word{"wird"},    Word{"werden"},   Word{"wurde"},    Word{"wurden"},   Word{"worden"},
    Word{"hat"},     Word{"haben"},    Word{"hatte"},    Word{"hatten"},   Word{"sein"},
    Word{"es"},      Word{"er"},       Word{"sie"},      Word{"ihr"},      Word{"ihre"},
    Word{"ihrer"},   Word{"ihren"},    Word{"seine"},    Word{"seiner"},   Word{"seinen"},
    Word{"dies"},    Word{"diese"},    Word{"dieser"},   Word{"dieses"},   Word{"diesem"},
    Word{"diesen"},  Word{"wir"},      Word{"uns"},      Word{"man"},      Word{"wer"},
    Word{"wie"},     Word{"wo"},       Word{"wann"},     Word{"warum"},    Word{"welche"},
    Word{"welcher"}, Word{"welches"},  Word{"da"},       Word{"dort"},     Word{"dann"},
    Word{"so"},      Word{"als"},      Word{"an"},       Word{"am"},       Word{"auf"},
    Word{"aus"},     Word{"bei"},      Word{"beim"},     Word{"bis"},      Word{"durch"},
    Word{"fur"},     Word{"gegen"},    Word{"im"},       Word{"in"},       Word{"ins"},
    Word{"mit"},     Word{"nach"},     Word{"seit"},     Word{"uber"},     Word{"um"},
    Word{"unter"},   Word{"von"},      Word{"vom"},      Word{"vor"},      Word{"wahrend"},
    Word{"zu"},      Word{"zum"},      Word{"zur"},      Word{"zwischen"}, Word{"auch"},
    Word{"kann"},    Word{"konnen"},   Word{"konnte"},   Word{"soll"},     Word{"sollen"},
    Word{"sollte"},  Word{"darf"},     Word{"durfen"},   Word{"muss"},     Word{"mussen"},
    Word{"dass"},    Word{"damit"},    Word{"weil"},     Word{"sich"},     Word{"je"},
    Word{"pro"},     Word{"sowie"},    Word{"einige"},   Word{"laut"},     Word{"gemass"},
    Word{"betragt"}, Word{"betragen"}, Word{"bedeutet"}, Word{"heisst"}};

constexpr std::array kNegations = {
    Word{"not"},     Word{"no"},      Word{"never"},   Word{"nor"},    Word{"neither"},
    Word{"none"},    Word{"without"}, Word{"cannot"},  Word{"unless"}, Word{"except"},
    Word{"nothing"}, Word{"nobody"},  Word{"nowhere"}, Word{"nicht"},  Word{"kein"},
    Word{"keine"},   Word{"keiner"},  Word{"keinem"},  Word{"keinen"}, Word{"keines"},
    Word{"nie"},     Word{"niemals"}, Word{"ohne"},    Word{"weder"},  Word{"nichts"},
    Word{"niemand"}, Word{"ausser"},  Word{"nirgends"}};

constexpr std::array kPronouns = {
    Word{"it"},   Word{"they"},   Word{"this"},   Word{"these"},  Word{"he"},    Word{"she"},
    Word{"its"},  Word{"their"},  Word{"er"},     Word{"sie"},    Word{"es"},    Word{"diese"},
    Word{"dies"}, Word{"dieser"}, Word{"dieses"}, Word{"diesem"}, Word{"seine"}, Word{"ihre"}};

constexpr std::array kAuxiliaries = {
    Word{"is"},     Word{"are"},    Word{"was"},    Word{"were"},   Word{"has"},   Word{"have"},
    Word{"had"},    Word{"do"},     Word{"does"},   Word{"did"},    Word{"can"},   Word{"could"},
    Word{"will"},   Word{"would"},  Word{"shall"},  Word{"should"}, Word{"may"},   Word{"might"},
    Word{"must"},   Word{"ist"},    Word{"sind"},   Word{"war"},    Word{"waren"}, Word{"wird"},
    Word{"werden"}, Word{"wurde"},  Word{"wurden"}, Word{"hat"},    Word{"haben"}, Word{"hatte"},
    Word{"kann"},   Word{"konnen"}, Word{"soll"},   Word{"sollte"}, Word{"darf"},  Word{"muss"}};

/// What a stem may grow by and still be of the same meaning: install, installation.
constexpr std::array kDerivations = {
    Word{"ation"}, Word{"ion"},  Word{"tion"},  Word{"ment"}, Word{"ement"}, Word{"al"},
    Word{"ally"},  Word{"ity"},  Word{"able"},  Word{"ible"}, Word{"ive"},   Word{"ly"},
    Word{"or"},    Word{"ance"}, Word{"ence"},  Word{"ness"}, Word{"ful"},   Word{"ity"},
    Word{"ung"},   Word{"lich"}, Word{"bar"},   Word{"keit"}, Word{"heit"},  Word{"isch"},
    Word{"ier"},   Word{"iert"}, Word{"ation"}, Word{"t"},    Word{"st"},    Word{"ings"}};

constexpr std::array kArticles = {Word{"the"},   Word{"a"},     Word{"an"},   Word{"der"},
                                  Word{"die"},   Word{"das"},   Word{"den"},  Word{"dem"},
                                  Word{"des"},   Word{"ein"},   Word{"eine"}, Word{"einen"},
                                  Word{"einem"}, Word{"einer"}, Word{"eines"}};

constexpr std::array kEmphasized = {
    Word{"and"},    Word{"or"},    Word{"if"},    Word{"on"},    Word{"off"},    Word{"up"},
    Word{"down"},   Word{"must"},  Word{"may"},   Word{"shall"}, Word{"should"}, Word{"can"},
    Word{"before"}, Word{"after"}, Word{"above"}, Word{"below"}, Word{"over"},   Word{"under"},
    Word{"all"},    Word{"any"},   Word{"each"},  Word{"both"},  Word{"und"},    Word{"oder"},
    Word{"muss"},   Word{"darf"},  Word{"vor"},   Word{"nach"},  Word{"bis"}};

constexpr std::array kConjunctions = {Word{"and"},  Word{"but"},     Word{"while"}, Word{"whereas"},
                                      Word{"or"},   Word{"und"},     Word{"aber"},  Word{"wahrend"},
                                      Word{"oder"}, Word{"sondern"}, Word{"sowie"}};

/// Words of which a sentence that has one contradicts a page that has another in its place.
constexpr std::array kContraries = {
    Word{"inlet outlet"},
    Word{"input output"},
    Word{"open close shut"},
    Word{"opened closed shut"},
    Word{"start stop"},
    Word{"increase decrease"},
    Word{"rise fall"},
    Word{"rose fell"},
    Word{"grew shrank"},
    Word{"more less"},
    Word{"most least"},
    Word{"above below"},
    Word{"over under"},
    Word{"high low"},
    Word{"high lower"},
    Word{"upper lower"},
    Word{"maximum minimum"},
    Word{"max min"},
    Word{"before after"},
    Word{"left right"},
    Word{"hot cold"},
    Word{"warm kalt"},
    Word{"front rear"},
    Word{"first second third fourth last"},
    Word{"on off"},
    Word{"always sometimes"},
    Word{"all some"},
    Word{"must may"},
    Word{"allow forbidden prohibit"},
    Word{"permit prohibit"},
    Word{"include exclude"},
    Word{"positive negative"},
    Word{"wet dry"},
    Word{"day night"},
    Word{"hour day week month quarter year"},
    Word{"stunde tag woche monat quartal jahr"},
    Word{"hourly daily weekly monthly quarterly yearly"},
    Word{"daily annually"},
    Word{"weekly annually"},
    Word{"monthly annually"},
    Word{"quarterly annually"},
    Word{"clockwise counterclockwise"},
    Word{"north south east west"},
    Word{"red green blue yellow white black orange"},
    Word{"january february march april mai june july august september october november december"},
    Word{"januar februar marz april mai juni juli august september oktober november dezember"},
    Word{"monday tuesday wednesday thursday friday saturday sunday"},
    Word{"montag dienstag mittwoch donnerstag freitag samstag sonntag"},
    Word{"spring summer autumn winter"},
    Word{"buy sell"},
    Word{"import export"},
    Word{"inside outside"},
    Word{"upstream downstream"},
    Word{"internal external"},
    Word{"male female"},
    Word{"pass fail"},
    Word{"eingang ausgang"},
    Word{"einlass auslass"},
    Word{"offnen schliessen"},
    Word{"offen geschlossen"},
    Word{"geoffnet geschlossen"},
    Word{"steigen sinken fallen"},
    Word{"steigt sinkt fallt"},
    Word{"stieg sank fiel"},
    Word{"erhoht senkt gesenkt"},
    Word{"rises falls"},
    Word{"raise lower"},
    Word{"gestiegen gesunken"},
    Word{"mehr weniger"},
    Word{"mindestens hochstens"},
    Word{"vor nach"},
    Word{"linke rechte"},
    Word{"links rechts"},
    Word{"oben unten"},
    Word{"uber unter"},
    Word{"erste zweite dritte letzte"},
    Word{"muss darf"},
    Word{"erlaubt verboten"},
    Word{"rot grun blau gelb weiss schwarz"},
    Word{"rote grune blaue gelbe weisse schwarze"},
    Word{"taglich wochentlich monatlich jahrlich"},
    Word{"innen aussen"},
    Word{"\u6700\u5927 \u6700\u5C0F"},  // largest, smallest
};

constexpr std::array kNumberWords = {
    std::pair{Word{"thirteen"}, 13},  std::pair{Word{"fourteen"}, 14},
    std::pair{Word{"fifteen"}, 15},   std::pair{Word{"sixteen"}, 16},
    std::pair{Word{"seventeen"}, 17}, std::pair{Word{"eighteen"}, 18},
    std::pair{Word{"nineteen"}, 19},  std::pair{Word{"twenty"}, 20},
    std::pair{Word{"thirty"}, 30},    std::pair{Word{"forty"}, 40},
    std::pair{Word{"fifty"}, 50},     std::pair{Word{"sixty"}, 60},
    std::pair{Word{"seventy"}, 70},   std::pair{Word{"eighty"}, 80},
    std::pair{Word{"ninety"}, 90},    std::pair{Word{"zwanzig"}, 20},
    std::pair{Word{"dreissig"}, 30},  std::pair{Word{"vierzig"}, 40},
    std::pair{Word{"funfzig"}, 50},   std::pair{Word{"sechzig"}, 60},
    std::pair{Word{"siebzig"}, 70},   std::pair{Word{"achtzig"}, 80},
    std::pair{Word{"neunzig"}, 90},   std::pair{Word{"zero"}, 0},
    std::pair{Word{"one"}, 1},        std::pair{Word{"two"}, 2},
    std::pair{Word{"three"}, 3},      std::pair{Word{"four"}, 4},
    std::pair{Word{"five"}, 5},       std::pair{Word{"six"}, 6},
    std::pair{Word{"seven"}, 7},      std::pair{Word{"eight"}, 8},
    std::pair{Word{"nine"}, 9},       std::pair{Word{"ten"}, 10},
    std::pair{Word{"eleven"}, 11},    std::pair{Word{"twelve"}, 12},
    std::pair{Word{"eins"}, 1},       std::pair{Word{"zwei"}, 2},
    std::pair{Word{"drei"}, 3},       std::pair{Word{"vier"}, 4},
    std::pair{Word{"funf"}, 5},       std::pair{Word{"sechs"}, 6},
    std::pair{Word{"sieben"}, 7},     std::pair{Word{"acht"}, 8},
    std::pair{Word{"neun"}, 9},       std::pair{Word{"zehn"}, 10},
    std::pair{Word{"elf"}, 11},       std::pair{Word{"zwolf"}, 12}};

template <typename Table>
bool in(const Table& table, Word word) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

bool ends_with(Word word, Word ending) {
  return word.size() > ending.size() && word.substr(word.size() - ending.size()) == ending;
}

/// "stopp" → "stop": the consonant that English doubles before -ed and -ing.
void undouble(std::string& text) {
  constexpr Word kDoubled = "bdgmnprt";
  const std::size_t size = text.size();
  if (size > 3 && text[size - 1] == text[size - 2] && kDoubled.find(text[size - 1]) != Word::npos) {
    text.pop_back();
  }
}

std::vector<std::vector<std::string>> stemmed_contraries() {
  std::vector<std::vector<std::string>> groups;
  for (Word row : kContraries) {
    std::vector<std::string> group;
    while (!row.empty()) {
      const std::size_t blank = std::min(row.find(' '), row.size());
      group.push_back(stem(row.substr(0, blank)));
      row.remove_prefix(std::min(blank + 1, row.size()));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

bool is_function_word(std::string_view word) { return in(kEnglish, word) || in(kGerman, word); }

Language language_of(std::string_view word) {
  const bool english = in(kEnglish, word);
  const bool german = in(kGerman, word);
  if (english == german) return Language::unknown;
  return english ? Language::english : Language::german;
}

bool is_pronoun(std::string_view word) { return in(kPronouns, word); }

bool is_negation(std::string_view word) { return in(kNegations, word) || ends_with(word, "n't"); }

bool is_negation(char32_t c) {
  return c == U'\u4E0D' || c == U'\u6CA1' || c == U'\u65E0' || c == U'\u672A' || c == U'\u975E' ||
         c == U'\u52FF' || c == U'\u83AB';
}

bool is_conjunction(std::string_view word) { return in(kConjunctions, word); }

bool is_function_character(char32_t c) {
  constexpr std::u32string_view kCharacters =
      U"\u7684\u4E86\u662F\u5728\u548C\u4E0E\u53CA\u4E5F\u90FD\u5C31\u7740\u8FC7\u5427\u5417"
      U"\u5462\u554A\u5730\u5F97\u4E4B\u800C\u4E14\u6216\u88AB\u628A\u5C06\u4E8E\u4EE5\u4E2A"
      U"\u8FD9\u90A3\u5B83\u5176\u6B64\u8BE5\u306E\u306F\u304C\u3092\u306B\u3067\u3068\u3082";
  return kCharacters.find(c) != std::u32string_view::npos;
}

bool is_derivation(std::string_view ending) { return in(kDerivations, ending); }

bool is_rejection(std::string_view word) {
  return word == "instead" || word == "rath" || word == "statt" || word == "anstatt" ||
         word == "anstell";  // stems of "rather" (than) and "anstelle"
}

bool is_auxiliary(std::string_view word) { return in(kAuxiliaries, word); }

bool is_emphasized(std::string_view word) { return in(kEmphasized, word); }

bool is_article(std::string_view word) { return in(kArticles, word); }

bool is_comparison(std::string_view word) { return word == "than" || word == "als"; }

std::string stem(std::string_view word) {
  std::string text(word);
  if (ends_with(text, "'s")) text.resize(text.size() - 2);
  if (text.size() >= 5 && (ends_with(text, "ies") || ends_with(text, "ied"))) {
    text.resize(text.size() - 3);
    return text + "y";
  }
  if (text.size() >= 4 && ends_with(text, "s") && !ends_with(text, "ss") &&
      !ends_with(text, "us") && !ends_with(text, "is")) {
    text.pop_back();
  }
  const auto cut = [&text](std::size_t count) { text.resize(text.size() - count); };
  if (text.size() >= 7 && ends_with(text, "ing")) {
    cut(3);
    undouble(text);
  } else if (text.size() >= 6 && ends_with(text, "ed")) {
    cut(2);
    undouble(text);
  } else if (text.size() == 4 && ends_with(text, "ed")) {
    cut(1);  // "used" → "use"
  }
  if (text.size() >= 6 &&
      (ends_with(text, "en") || ends_with(text, "em") || ends_with(text, "er"))) {
    cut(2);
  } else if (text.size() >= 5 && (text.back() == 'e' || text.back() == 'n')) {
    cut(1);
  }
  return text;
}

bool are_contrary(std::string_view first, std::string_view second) {
  static const std::vector<std::vector<std::string>> groups = stemmed_contraries();
  if (first == second) return false;
  return std::any_of(groups.begin(), groups.end(),
                     [&](const auto& group) { return in(group, first) && in(group, second); });
}

int number_word(std::string_view word) {
  for (const auto& [spelling, number] : kNumberWords) {
    if (spelling == word) return number;
  }
  return -1;
}

}  // namespace lore::pipeline::citations
