#include "cli/shell/completions.hpp"

#include <algorithm>
#include <vector>

namespace lore::cli {
namespace {

/// What a flag's value is, as far as a shell can help with it.
enum class ValueKind { none, model, file, other };

struct Flag {
  std::vector<std::string> names;  // "--index", "-k"
  std::string help;
  ValueKind kind = ValueKind::none;
};

struct Verb {
  std::vector<std::string> words;  // "model", "bench"
  std::string help;
  std::vector<Flag> flags;
  bool has_verbs = false;
};

ValueKind kind_of(const CLI::Option& option) {
  if (option.get_expected_min() == 0 && option.get_type_size() == 0) return ValueKind::none;
  const std::string type = option.get_type_name();
  if (type.starts_with("MODEL")) return ValueKind::model;
  for (const char* name : {"FILE", "PATH", "FOLDER"}) {
    if (type.starts_with(name)) return ValueKind::file;
  }
  return ValueKind::other;
}

Verb verb_of(const CLI::App& app, std::vector<std::string> words) {
  Verb verb{std::move(words), app.get_description(), {}, false};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    Flag flag{{}, option->get_description(), kind_of(*option)};
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    if (!flag.names.empty()) verb.flags.push_back(std::move(flag));
  }
  return verb;
}

/// All verbs, those that hold others before these.
void collect(const CLI::App& app, const std::vector<std::string>& words, std::vector<Verb>& verbs) {
  for (const CLI::App* sub : app.get_subcommands({})) {
    std::vector<std::string> path = words;
    path.push_back(sub->get_name());
    verbs.push_back(verb_of(*sub, path));
    verbs.back().has_verbs = !sub->get_subcommands({}).empty();
    collect(*sub, path, verbs);
  }
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string flag_names(const Verb& verb) {
  std::vector<std::string> names;
  for (const Flag& flag : verb.flags) {
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  }
  return joined(names, " ");
}

/// Names that flags of this kind of value have anywhere.
std::string names_of_kind(const std::vector<Verb>& verbs, ValueKind kind) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    for (const Flag& flag : verb.flags) {
      if (flag.kind == kind) names.insert(names.end(), flag.names.begin(), flag.names.end());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return joined(names, "|");
}

/// The last words of the verbs right below `parent`.
std::string verbs_below(const std::vector<Verb>& verbs, const std::vector<std::string>& parent) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    const bool below = verb.words.size() == parent.size() + 1 &&
                       std::equal(parent.begin(), parent.end(), verb.words.begin());
    if (below) names.push_back(verb.words.back());
  }
  return joined(names, " ");
}

/// One line for a shell's quotes.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') break;
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':') {
      out += ' ';  // they mean something to zsh
    } else {
      out += c;
    }
  }
  return out;
}

constexpr const char* kModels = "${LORE_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/lore}/models";

std::string bash_script(const std::vector<Verb>& verbs) {
  std::string script =
      "# lore completions bash; load it: source <(lore completions bash)\n"
      "_lore_models() {\n"
      "  local file\n"
      "  for file in \"" +
      std::string(kModels) +
      "\"/*.gguf; do\n"
      "    [ -e \"$file\" ] && basename \"$file\" .gguf\n"
      "  done\n"
      "}\n"
      "_lore() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} choices=\n"
      "  COMPREPLY=()\n"
      "  case $before in\n"
      "    " +
      names_of_kind(verbs, ValueKind::model) +
      ") choices=$(_lore_models) ;;\n"
      "    " +
      names_of_kind(verbs, ValueKind::file) +
      ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      "  esac\n"
      "  if [ -n \"$choices\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$choices\" -- \"$word\") $(compgen -f -X '!*.gguf' -- "
      "\"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      verbs_below(verbs, {}) +
      " --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  local verb=${COMP_WORDS[1]}\n";
  for (const Verb& verb : verbs) {
    if (!verb.has_verbs) continue;
    script += "  if [ \"$verb\" = " + verb.words.front() +
              " ]; then\n"
              "    if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
              "      COMPREPLY=($(compgen -W '" +
              verbs_below(verbs, verb.words) +
              "' -- \"$word\"))\n"
              "      return\n"
              "    fi\n"
              "    verb=\"$verb ${COMP_WORDS[2]}\"\n"
              "  fi\n";
  }
  script += "  case $verb in\n";
  for (const Verb& verb : verbs) {
    if (verb.has_verbs) continue;
    script += "    '" + joined(verb.words, " ") + "') choices='" + flag_names(verb) + "' ;;\n";
  }
  script +=
      "  esac\n"
      "  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W \"$choices\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}\n"
      "complete -o filenames -o bashdefault -F _lore lore\n";
  return script;
}

std::string fish_script(const std::vector<Verb>& verbs) {
  std::string script =
      "# lore completions fish; load it: lore completions fish | source\n"
      "function __lore_models\n"
      "  set -l home (set -q LORE_HOME; and echo $LORE_HOME; or echo $HOME/.local/share/lore)\n"
      "  for file in $home/models/*.gguf; basename $file .gguf; end\n"
      "end\n"
      "complete -c lore -f -n __fish_use_subcommand -l help -d 'Tell about the flags'\n"
      "complete -c lore -f -n __fish_use_subcommand -l version -d 'Tell the version'\n";
  for (const Verb& verb : verbs) {
    const std::string condition = verb.words.size() == 1
                                      ? std::string("__fish_use_subcommand")
                                      : "'__fish_seen_subcommand_from " + verb.words.front() + "'";
    script += "complete -c lore -f -n " + condition + " -a " + verb.words.back() + " -d '" +
              quoted(verb.help) + "'\n";
    if (verb.has_verbs) continue;
    const std::string seen = "'__fish_seen_subcommand_from " + verb.words.back() + "'";
    for (const Flag& flag : verb.flags) {
      script += "complete -c lore -n " + seen;
      for (const std::string& name : flag.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (flag.kind == ValueKind::model) script += " -x -a '(__lore_models)'";
      if (flag.kind == ValueKind::file) script += " -r -F";
      if (flag.kind == ValueKind::other) script += " -x";
      script += " -d '" + quoted(flag.help) + "'\n";
    }
  }
  return script;
}

std::string zsh_flags(const Verb& verb) {
  std::string text;
  for (const Flag& flag : verb.flags) {
    for (const std::string& name : flag.names) {
      text += " \\\n        '" + name + "[" + quoted(flag.help) + "]";
      if (flag.kind == ValueKind::model) text += ":model:_lore_models";
      if (flag.kind == ValueKind::file) text += ":file:_files";
      if (flag.kind == ValueKind::other) text += ":value:";
      text += "'";
    }
  }
  return text + " \\\n        '*:file:_files'";
}

std::string zsh_script(const std::vector<Verb>& verbs) {
  std::string script =
      "#compdef lore\n"
      "# lore completions zsh; load it: source <(lore completions zsh)\n"
      "_lore_models() {\n"
      "  local -a models\n"
      "  models=(\"" +
      std::string(kModels) +
      "\"/*.gguf(N:t:r))\n"
      "  compadd -a models\n"
      "  _files -g '*.gguf'\n"
      "}\n"
      "_lore() {\n"
      "  local -a verbs\n"
      "  local verb=$words[2]\n"
      "  if (( CURRENT == 2 )); then\n"
      "    verbs=(";
  for (const Verb& verb : verbs) {
    if (verb.words.size() == 1) {
      script += "\n      '" + verb.words.front() + ":" + quoted(verb.help) + "'";
    }
  }
  script += ")\n    _describe verb verbs\n    return\n  fi\n";
  for (const Verb& verb : verbs) {
    if (!verb.has_verbs) continue;
    script += "  if [[ $verb == " + verb.words.front() +
              " ]]; then\n"
              "    if (( CURRENT == 3 )); then compadd " +
              verbs_below(verbs, verb.words) +
              "; return; fi\n"
              "    verb=\"$verb $words[3]\"\n"
              "    shift words\n"
              "    (( CURRENT-- ))\n"
              "  fi\n";
  }
  script += "  shift words\n  (( CURRENT-- ))\n  case $verb in\n";
  for (const Verb& verb : verbs) {
    if (verb.has_verbs) continue;
    script +=
        "    '" + joined(verb.words, " ") + "')\n      _arguments" + zsh_flags(verb) + " ;;\n";
  }
  return script + "  esac\n}\ncompdef _lore lore\n";
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
  std::vector<Verb> verbs;
  collect(app, {}, verbs);
  if (shell == "bash") return bash_script(verbs);
  return shell == "zsh" ? zsh_script(verbs) : fish_script(verbs);
}

}  // namespace lore::cli
