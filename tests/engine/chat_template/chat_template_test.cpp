#include "engine/tokenizer/chat_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "lore/error.hpp"

namespace lore::engine {
namespace {

using testing::HasSubstr;

/// Renders with one user message "hi".
std::string render(const std::string& source) {
  return ChatTemplate(source, "<s>", "</s>").render({{"user", "hi"}}, true);
}

std::string expression(const std::string& source) { return render("{{ " + source + " }}"); }

struct Failure {
  ErrorCode code = ErrorCode::internal;
  std::string text = "no error";
};

Failure failure_of(const std::string& source) {
  try {
    render(source);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

TEST(ChatTemplate, GivesTheVariables) {
  EXPECT_EQ(render("{{ bos_token }}{% for m in messages %}{{ m.role }}:{{ m['content'] }}"
                   "{% endfor %}{{ eos_token }}{{ add_generation_prompt }}{{ tools is none }}"),
            "<s>user:hi</s>TrueTrue");
}

TEST(ChatTemplate, LeavesMessagesUninterpreted) {
  const ChatTemplate chat("{{ messages[0].content }}", "", "");
  EXPECT_EQ(chat.render({{"user", "{{ 7 * 7 }} {% raw %}"}}, false), "{{ 7 * 7 }} {% raw %}");
}

TEST(Whitespace, BlockTagsTakeTheirLine) {
  EXPECT_EQ(render("a\n  {% if true %}\nb\n  {% endif %}\nc\n"), "a\nb\nc");
  EXPECT_EQ(render("a {% if true %}\nb{% endif %} c"), "a b c");
  EXPECT_EQ(render("a\n  {# note #}\nb"), "a\nb");
  EXPECT_EQ(render("a\n  {{ 1 }}\nb"), "a\n  1\nb");
}

TEST(Whitespace, SignsOverrideIt) {
  EXPECT_EQ(render("a \n {%- if true -%} \n b \n {%- endif -%} \n c"), "abc");
  EXPECT_EQ(render("a \n {{- 1 -}} \n b"), "a1b");
  EXPECT_EQ(render("a\n  {%+ if true +%}\nb{% endif %}"), "a\n  \nb");
  EXPECT_EQ(render("a \n{#- x -#}\n b"), "ab");
}

TEST(Whitespace, LineEndsAndTheLastOne) {
  EXPECT_EQ(render("a\r\nb\rc\n"), "a\nb\nc");
  EXPECT_EQ(render("a\n\n"), "a\n");
}

TEST(Whitespace, RawIsData) {
  EXPECT_EQ(render("{% raw %}{{ x }} {% if %}{% endraw %}!"), "{{ x }} {% if %}!");
  EXPECT_EQ(render("a {%- raw -%} b {%- endraw -%} c"), "abc");
}

TEST(Expressions, FollowPythonsPrecedence) {
  EXPECT_EQ(expression("1 + 2 * 3"), "7");
  EXPECT_EQ(expression("(1 + 2) * 3"), "9");
  EXPECT_EQ(expression("2 ** 3 ** 2"), "64");  // Jinja's own: from the left
  EXPECT_EQ(expression("-2 + 3"), "1");
  EXPECT_EQ(expression("1 ~ 2 * 3"), "16");
  EXPECT_EQ(expression("not 1 == 2 and true"), "True");
  EXPECT_EQ(expression("1 if false else 2 if false else 3"), "3");
  EXPECT_EQ(expression("1 < 2 < 3"), "True");
  EXPECT_EQ(expression("1 < 3 < 2"), "False");
  EXPECT_EQ(expression("'a' in 'cat' and 'x' not in ['y']"), "True");
  EXPECT_EQ(expression("0 or 'x'"), "x");
  EXPECT_EQ(expression("'' and 'x'"), "");
}

TEST(Expressions, NumbersAreThoseOfPython) {
  EXPECT_EQ(expression("7 // 2"), "3");
  EXPECT_EQ(expression("-7 // 2"), "-4");
  EXPECT_EQ(expression("-7 % 3"), "2");
  EXPECT_EQ(expression("7 / 2"), "3.5");
  EXPECT_EQ(expression("4 / 2"), "2.0");
  EXPECT_EQ(expression("0.1 + 0.2"), "0.30000000000000004");
  EXPECT_EQ(expression("1e16"), "1e+16");
  EXPECT_EQ(expression("true + 1"), "2");
  EXPECT_EQ(expression("1 == 1.0"), "True");
}

TEST(Expressions, IndexAndSlice) {
  EXPECT_EQ(expression("[1, 2, 3][-1]"), "3");
  EXPECT_EQ(expression("[1, 2, 3][1:]"), "[2, 3]");
  EXPECT_EQ(expression("[1, 2, 3][::-1]"), "[3, 2, 1]");
  EXPECT_EQ(expression("[1, 2, 3][:-1]"), "[1, 2]");
  EXPECT_EQ(expression("[1, 2, 3][5:]"), "[]");
  EXPECT_EQ(expression("'h\u00E4us'[1:3]"), "\u00E4u");
  EXPECT_EQ(expression("[1][7] is defined"), "False");
  EXPECT_EQ(expression("{'a': {'b': 5}}.a.b"), "5");
  EXPECT_EQ(expression("{'items': 1}['items']"), "1");
  EXPECT_EQ(expression("{'items': 1}.items is mapping"), "False");  // Python finds the method
}

TEST(Expressions, PrintAsPythonDoes) {
  EXPECT_EQ(expression("[true, none, 'it\\'s', \"a\\\"b\", 1.0]"),
            "[True, None, \"it's\", 'a\"b', 1.0]");
  EXPECT_EQ(expression("{'a': (1,), 'b': ()}"), "{'a': (1,), 'b': ()}");
  EXPECT_EQ(expression("'\\u00e4\\x41\\n' == '\u00E4A\n'"), "True");
  EXPECT_EQ(expression("nothing"), "");
  EXPECT_EQ(expression("['\u00E4\\x01\\u200b']"), "['\u00E4\\x01\\u200b']");
}

TEST(Expressions, StringsHaveTheirMethods) {
  EXPECT_EQ(
      expression("' a b '.strip() ~ '|' ~ 'xxaxx'.lstrip('x') ~ '|' ~ 'a,b,c'.split(',')[-1]"),
      "a b|axx|c");
  EXPECT_EQ(expression("'a b  c'.split()"), "['a', 'b', 'c']");
  EXPECT_EQ(expression("'a-b-c'.split('-', 1)"), "['a', 'b-c']");
  EXPECT_EQ(expression("'abc'.startswith(('x', 'a')) and 'abc'.endswith('c')"), "True");
  EXPECT_EQ(expression("'a{}b{x}{0}'.format(1, x='y')"), "a1by1");
  EXPECT_EQ(expression("'%s is %03d %.2f%%' % ('x', 7, 1.5)"), "x is 007 1.50%");
  EXPECT_EQ(expression("'hello wORLD'.title() ~ 'aBC'.capitalize() ~ 'aba'.replace('a', 'x', 1)"),
            "Hello WorldAbcxba");
  EXPECT_EQ(expression("'ab' * 3 ~ 'h\u00E4'.upper() ~ 'a'.join(['1', '2'])"), "abababH\u00C41a2");
}

TEST(Filters, DoWhatJinjasDo) {
  EXPECT_EQ(expression("nothing | default('x') ~ '' | default('y', true)"), "xy");
  EXPECT_EQ(expression("[3, 1, 2] | sort | join('-')"), "1-2-3");
  EXPECT_EQ(expression("['b', 'A', 'a'] | sort | join"), "Aab");
  EXPECT_EQ(expression("[1, 2, 3] | map('string') | join('+')"), "1+2+3");
  EXPECT_EQ(expression("[{'a': 1}, {'a': 2}] | map(attribute='a') | sum"), "3");
  EXPECT_EQ(
      expression("[{'r': 'u'}, {'r': 's'}] | selectattr('r', 'equalto', 'u') | list | length"),
      "1");
  EXPECT_EQ(expression("[0, 1, 2] | reject('odd') | list"), "[0, 2]");
  EXPECT_EQ(expression("{'b': 1, 'A': 2} | dictsort"), "[('A', 2), ('b', 1)]");
  EXPECT_EQ(expression("'a\\n\\nb' | indent(2)"), "a\n\n  b");
  EXPECT_EQ(expression("'a\\nb' | indent(2, true)"), "  a\n  b");
  EXPECT_EQ(expression("'  x ' | trim ~ ('3.7' | int) ~ ('x' | int(9)) ~ (2.5 | round)"), "x392.0");
  EXPECT_EQ(expression("[1, 1, 2] | unique | list ~ ([1, 2] | first) ~ ([1, 2] | last)"),
            "[1, 2]12");
  EXPECT_EQ(expression("'<a>' | escape"), "&lt;a&gt;");
  EXPECT_EQ(expression("[1, 2, 3] | batch(2) | list"), "[[1, 2], [3]]");
}

TEST(Filters, ToJsonIsPythonsDumps) {
  EXPECT_EQ(expression("{'b': [1, 2.0, true, none], 'a': '<\u00E4\"\\n>'} | tojson"),
            "{\"b\": [1, 2.0, true, null], \"a\": \"<\u00E4\\\"\\n>\"}");
  EXPECT_EQ(expression("{'a': [1], 'b': {}} | tojson(indent=2)"),
            "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}");
  EXPECT_EQ(expression("[1, 2] | tojson(separators=(',', ':'))"), "[1,2]");
  EXPECT_EQ(expression("{'b': 1, 'a': 2} | tojson(sort_keys=true)"), "{\"a\": 2, \"b\": 1}");
  EXPECT_EQ(expression("'\u00E4\U0001F600' | tojson(ensure_ascii=true)"),
            "\"\\u00e4\\ud83d\\ude00\"");
}

TEST(Tests, TellKindsApart) {
  EXPECT_EQ(expression("'a' is string and 1 is number and 1 is not string"), "True");
  EXPECT_EQ(expression("{} is mapping and [] is sequence and 'a' is iterable"), "True");
  EXPECT_EQ(expression("true is boolean and true is true and 1 is not true"), "True");
  EXPECT_EQ(expression("true is integer or 1.0 is integer"), "False");
  EXPECT_EQ(expression("none is none and x is undefined and range is callable"), "True");
  EXPECT_EQ(expression("4 is divisibleby 2 and 3 is odd and 3 is in [3]"), "True");
}

TEST(Statements, LoopsKnowWhereTheyAre) {
  EXPECT_EQ(render("{% for x in [5, 6, 7] %}{{ loop.index }}{{ loop.revindex0 }}{{ loop.first }}"
                   "{{ loop.last }}{{ loop.previtem | default('-') }};{% endfor %}"),
            "12TrueFalse-;21FalseFalse5;30FalseTrue6;");
  EXPECT_EQ(render("{% for x in [1, 2, 3, 4] if x is even %}{{ loop.length }}{{ x }} {% endfor %}"),
            "22 24 ");
  EXPECT_EQ(render("{% for x in [] %}a{% else %}none{% endfor %}"), "none");
  EXPECT_EQ(render("{% for k, v in {'a': 1}.items() %}{{ k }}={{ v }}{% endfor %}"), "a=1");
  EXPECT_EQ(render("{% for x in range(9) %}{% if x == 1 %}{% continue %}{% endif %}"
                   "{% if x == 3 %}{% break %}{% endif %}{{ x }}{% endfor %}"),
            "02");
  EXPECT_EQ(render("{% for x in [1, 2] %}{% for y in [1] %}{{ loop.depth }}{% endfor %}"
                   "{{ loop.cycle('a', 'b') }}{% endfor %}"),
            "2a2b");
}

TEST(Statements, NamesEndWithTheirLoopButNamespacesStay) {
  EXPECT_EQ(render("{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{% endfor %}{{ x }}"), "1");
  EXPECT_EQ(render("{% set n = namespace(x=1) %}{% for i in [1] %}{% set n.x = 2 %}{% endfor %}"
                   "{{ n.x }}"),
            "2");
  EXPECT_EQ(render("{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}"), "2");
  EXPECT_EQ(render("{% set a, b = [1, 2] %}{{ b }}{{ a }}"), "21");
  EXPECT_EQ(render("{% with x = 5 %}{{ x }}{% endwith %}{{ x }}"), "5");
}

TEST(Statements, BlocksOfTextAreValues) {
  EXPECT_EQ(render("{% set t %} a{{ 1 }} {% endset %}[{{ t | trim }}]"), "[a1]");
  EXPECT_EQ(render("{% set t | upper | trim %} ab {% endset %}[{{ t }}]"), "[AB]");
  EXPECT_EQ(render("{% filter upper %}ab{% endfilter %}"), "AB");
  EXPECT_EQ(render("{% generation %}x{% endgeneration %}"), "x");
}

TEST(Statements, MacrosTakeArgumentsAndSeeTheirScope) {
  EXPECT_EQ(render("{% macro m(a, b='B', c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}"
                   "{{ m(1) }}|{{ m(1, c=3) }}|{{ m(b=2) }}"),
            "1B1|1B3|2");
  EXPECT_EQ(render("{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}"
                   "{{ f(3) }}"),
            "3210");
  EXPECT_EQ(render("{% macro m() %}{{ x }}{% endmacro %}{% set x = 7 %}{{ m() }}"), "7");
  EXPECT_EQ(render("{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}in{% endcall %}"),
            "<in>");
}

TEST(Refusals, CarryTheTemplatesOwnWords) {
  const Failure failure = failure_of("{{ raise_exception('Roles must alternate') }}");
  EXPECT_EQ(failure.code, ErrorCode::invalid_argument);
  EXPECT_EQ(failure.text, "Roles must alternate");
}

TEST(Refusals, HaveWordsOfOurOwnWhereTheTemplateHasNone) {
  EXPECT_THAT(failure_of("{{ raise_exception() }}").text, HasSubstr("refuses"));
  EXPECT_THAT(failure_of("{{ raise_exception('') }}").text, HasSubstr("refuses"));
  EXPECT_LT(failure_of("{{ raise_exception('ab' * 100000) }}").text.size(), 1100U);
}

TEST(Refusals, NameTheFileAndTheWayOut) {
  for (const std::string source :
       {"{{ 1 + }}", "{{ x.y }}", "{{ raise_exception('Roles must alternate') }}"}) {
    try {
      ChatTemplate(source, "", "", ChatTemplate::Clock(), "dir/model.gguf").render({}, true);
      ADD_FAILURE() << source;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("dir/model.gguf: "));
      EXPECT_THAT(error.what(), HasSubstr("--raw"));
      EXPECT_EQ(error.context(), "dir/model.gguf");
    }
  }
}

TEST(Refusals, NameTheConstructAndItsLine) {
  const auto expect = [](const std::string& source, const std::string& words) {
    const Failure failure = failure_of(source);
    EXPECT_EQ(failure.code, ErrorCode::unsupported) << source;
    EXPECT_THAT(failure.text, HasSubstr(words)) << source;
  };
  expect("\n\n{% include 'x' %}", "line 3");
  expect("{% include 'x' %}", "include");
  expect("{{ 1 | nofilter }}", "nofilter");
  expect("{{ 1 is notest }}", "notest");
  expect("{{ 1", "not closed");
  expect("{% if true %}", "endif");
  expect("{{ 'abc }}", "not closed");
  expect("{{ 1 + }}", "expected");
  expect("{{ ) }}", "closes nothing");
  expect("{# never", "not closed");
  expect("{% raw %}", "not closed");
  expect("{{ 99999999999999999999 }}", "too large");
  expect("\n{{ x.y }}", "line 2");
  expect("{{ x.y }}", "\"x\" is undefined");
  expect("{{ 'a' + 1 }}", "str and int");
  expect("{{ none.x.y }}", "undefined");
  expect("{{ 1 // 0 }}", "zero");
  expect("{{ [].append(1) }}", "unsafe");
  expect("{% for x in 5 %}{% endfor %}", "int");
  expect("{% set a, b = [1] %}", "2 names");
  expect("{{ 9223372036854775807 + 1 }}", "64 bits");
  expect("{{ nothing() }}", "cannot be called");
}

TEST(Limits, HoldAgainstHostileTemplates) {
  const auto expect_stop = [](const std::string& source) {
    EXPECT_EQ(failure_of(source).code, ErrorCode::unsupported) << source.substr(0, 60);
  };
  const auto started = std::chrono::steady_clock::now();
  expect_stop("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
  expect_stop(
      "{% macro f(n) %}{% for i in [1, 2] %}{{ f(n) }}{% endfor %}{% endmacro %}{{ f(1) }}");
  expect_stop("{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}");
  expect_stop(
      "{% set n = namespace(t='xxxxxxxx') %}{% for i in range(60) %}"
      "{% set n.t = n.t ~ n.t %}{% endfor %}");
  expect_stop("{{ 'x' * 9000000000 }}");
  expect_stop("{{ range(1000000000) }}");
  expect_stop("{{ " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }}");
  std::string chain = "{{ messages";
  for (int i = 0; i < 5000; ++i) chain += ".a";
  expect_stop(chain + " }}");
  std::string sum = "{{ 1";
  for (int i = 0; i < 5000; ++i) sum += " + 1";
  expect_stop(sum + " }}");
  std::string blocks;
  for (int i = 0; i < 5000; ++i) blocks += "{% if true %}";
  expect_stop(blocks);
  const auto spent = std::chrono::steady_clock::now() - started;
  EXPECT_LT(std::chrono::duration_cast<std::chrono::seconds>(spent).count(), 60);
}

/// Runs `body` often, with a name `ns` for what it builds up.
std::string built_up(const std::string& start, const std::string& body, const std::string& end) {
  return "{% set ns = namespace(x=" + start + ") %}{% for i in range(100000) %}" + body +
         "{% endfor %}" + end;
}

TEST(Limits, HoldWhateverIsNestedInItself) {
  for (const std::string body :
       {"{% set ns.x = [ns.x] %}", "{% set ns.x = {'a': ns.x} %}", "{% set ns.x = (ns.x,).index %}",
        "{% set ns.x = [ns.x] | list %}"}) {
    EXPECT_THAT(failure_of(built_up("[]", body, "")).text, HasSubstr("too deep")) << body;
  }
  EXPECT_EQ(render(built_up("0", "{% set ns.x = namespace(x=ns.x) %}", "ok")), "ok");
  EXPECT_EQ(render(built_up("0", "{% for y in [ns.x] %}{% set ns.x = loop %}{% endfor %}", "ok")),
            "ok");
}

TEST(Limits, HoldForListsThatAreSharedOften) {
  const std::string wide =
      "{% set ns = namespace(x=['a']) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}"
      "{% endfor %}";
  EXPECT_EQ(render(wide + "ok"), "ok");
  for (const std::string end :
       {"{{ ns.x }}", "{{ ns.x == [ns.x[0], ns.x[1]] }}", "{{ ns.x | tojson }}", "{{ ns.x ~ '' }}",
        "{{ [ns.x, ns.x] | sort }}", "{{ ns.x in [ns.x] }}", "{{ {ns.x: 1}[ns.x] }}",
        "{{ [ns.x, ns.x] | unique }}", "{{ '%s' % (ns.x,) }}", "{{ ns.x is eq ns.x }}"}) {
    EXPECT_EQ(failure_of(wide + end).code, ErrorCode::unsupported) << end;
  }
}

TEST(Limits, HoldForMemory) {
  const std::string large = "{% set a = 'a' * 16000000 %}";
  EXPECT_EQ(render(large + "{% set b = [a] * 100000 %}ok"), "ok");  // one text, held often
  for (const std::string end :
       {"{{ range(100000) | join(a) }}", "{{ a.join(['', '', '', '', '', '', '']) }}",
        "{{ a | replace('a', 'bbbbbbbbbb') }}", "{{ a.replace('a', 'bbbbbbbbbb') }}",
        "{{ a | list }}", "{{ a.split('a') }}", "{% for c in a %}{% endfor %}",
        "{{ [1, 2, 3, 4, 5, 6] | tojson(separators=(a, a)) }}",
        "{{ '\n\n\n\n\n\n' | indent(a, true, true) }}", "{{ '{0}{0}{0}{0}{0}'.format(a) }}",
        "{{ [a, a, a, a, a] }}", "{{ [1] * 16000000 }}", "{{ [a] * 100 | map('upper') }}"}) {
    EXPECT_EQ(failure_of(large + end).code, ErrorCode::unsupported) << end;
  }
}

TEST(Limits, HoldForTheWorkOfBuiltins) {
  const std::string large = "{% set a = 'a' * 16000000 %}{% for i in range(100000) %}";
  for (const std::string body : {"{% set n = a | length %}", "{% set n = a.find('b') %}"}) {
    EXPECT_EQ(failure_of(large + body + "{% endfor %}").code, ErrorCode::unsupported) << body;
  }
  for (const std::string source :
       {"{{ range(100000) | unique }}", "{{ 'aaaaaaab' * 500000 in 'aaaaaaaa' * 1000000 }}",
        "{% set p = [] | list %}{{ dict(range(100000) | batch(2)) }}"}) {
    EXPECT_EQ(failure_of(source).code, ErrorCode::unsupported) << source;
  }
}

TEST(Limits, LeaveRoomForALongConversation) {
  std::string text;
  while (text.size() < 100000) text += "words and words, <think>a thought</think>\n";
  const std::vector<ChatMessage> messages(20, {"user", text});
  const ChatTemplate chat(
      "{% for m in messages %}{% if messages | length > 2 and messages[0].role == 'user' and "
      "'</think>' in m.content %}{{ m.content.split('</think>')[-1].strip() ~ (m | tojson | "
      "length) }}{% endif %}{{ messages | selectattr('role', 'equalto', 'user') | list | length }}"
      "{% endfor %}",
      "", "");
  EXPECT_FALSE(chat.render(messages, true).empty());
}

TEST(Limits, HoldAtTheEdgesOfNumbers) {
  EXPECT_EQ(expression("'a' | truncate(4611686018427387908, true, '', 9223372036854775807)"), "a");
  EXPECT_EQ(expression("'abc' | truncate(-5, true, '', -5)"), "");
  EXPECT_EQ(expression("(-1) ** 9223372036854775807"), "-1");
  EXPECT_EQ(expression("7 ** 22"), "3909821048582988049");
  EXPECT_THAT(failure_of("{{ 7 ** 23 }}").text, HasSubstr("64 bits"));
  EXPECT_EQ(failure_of("{{ '%d' % 1e300 }}").code, ErrorCode::unsupported);
  EXPECT_EQ(failure_of("{{ '%d' % ('nan' | float) }}").code, ErrorCode::unsupported);
  EXPECT_EQ(expression("[1, 2, 3][::-9223372036854775807 - 1]"), "[3]");
  EXPECT_EQ(expression("{1: 2, 1.5: 3} | tojson"), "{\"1\": 2, \"1.5\": 3}");
}

TEST(Filters, GroupByEndsWhereAKeyIsNotEqualToItself) {
  EXPECT_EQ(expression("[{'k': 'nan' | float}, {'k': 'nan' | float}] | groupby('k') | length"),
            "2");
  EXPECT_EQ(expression("['a'] | groupby('upper') | length"), "1");  // a method, made anew each time
}

TEST(Limits, ALoopThatSawItselfIsNoLeak) {  // the address sanitizer would tell
  EXPECT_EQ(render("{% for x in [1] %}{{ loop.changed(loop) }}{% endfor %}"), "True");
  EXPECT_EQ(render("{% set ns = namespace() %}{% for x in [1] %}{% set ns.f = loop.changed %}"
                   "{% endfor %}{{ ns.f(ns.f) }}"),
            "True");
}

TEST(Limits, ANamespaceInItselfIsNoLeak) {  // the address sanitizer would tell
  EXPECT_EQ(render("{% set n = namespace() %}{% set n.me = n %}ok"), "ok");
}

TEST(Filters, FromJsonRefusesWhatIsNoJson) {
  EXPECT_EQ(expression("'{\"a\": [1, null, 2.5]}' | from_json"), "{'a': [1, None, 2.5]}");
  EXPECT_EQ(failure_of("{{ '{' | from_json }}").code, ErrorCode::unsupported);
  EXPECT_EQ(failure_of("{{ ('[' * 10000) | from_json }}").code, ErrorCode::unsupported);
  EXPECT_EQ(failure_of("{{ ('[' * 200 ~ ']' * 200) | from_json }}").code, ErrorCode::unsupported);
}

TEST(StrftimeNow, SpeaksEnglishAtTheGivenTime) {
  const auto clock = [] {
    std::tm time{};
    time.tm_year = 126;
    time.tm_mday = 5;
    time.tm_hour = 14;
    time.tm_min = 7;
    time.tm_wday = 1;
    time.tm_yday = 4;
    return time;
  };
  const ChatTemplate chat("{{ strftime_now('%A %d %B %Y|%a %-d %b %y|%H:%M %I %p %j %%') }}", "",
                          "", clock);
  EXPECT_EQ(chat.render({}, false), "Monday 05 January 2026|Mon 5 Jan 26|14:07 02 PM 005 %");
}

}  // namespace
}  // namespace lore::engine
