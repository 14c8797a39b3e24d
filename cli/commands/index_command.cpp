#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/places.hpp"
#include "cli/render/progress.hpp"
#include "cli/render/report.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class IndexCommand : public Command {
 public:
  std::string name() const override { return "index"; }
  std::string help() const override {
    return "Read documents and bring their index up to date (PDF, Markdown, HTML, text)";
  }

  void declare(CLI::App& verb) override {
    verb.add_option("PATH", paths_, "Folders and files; the working directory where none is given");
    add_value(verb, "--index", index_,
              "Where the index is kept: .lore in the indexed folder, unless said here", "PATH");
    add_value(verb, "--embed-model", options_.embed_model,
              "Model of the vectors: a name or a .gguf file (minilm)", "MODEL");
    add_value(verb, "--pooling", options_.pooling,
              "How token vectors become one: mean, cls or last (as the model says)", "KIND");
    add_value(verb, "--chunk-tokens", options_.chunk_tokens, "Tokens of a chunk at most (256)",
              "N");
    add_value(verb, "--overlap", options_.overlap_tokens,
              "Tokens of whole sentences repeated from the chunk before (0)", "N");
    add_list(verb, "--include", options_.include, "Only files that fit this glob; may be repeated",
             "GLOB");
    add_list(verb, "--exclude", options_.exclude, "No files that fit this glob; may be repeated",
             "GLOB");
    add_list(verb, "--password", options_.passwords, "Password for encrypted PDFs; may be repeated",
             "TEXT");
    add_switch(verb, "--retry", options_.retry,
               "Read again what failed before, though it has not changed");
    add_value(verb, "--wait", options_.wait_seconds,
              "Seconds to wait for another lore that writes this index", "N")
        ->capture_default_str();
    declare_json(verb, json_);
  }

  std::string index_flag() const override {
    if (!index_.empty()) return locate_index(index_).string();
    if (paths_.size() > 1) return {};
    const std::filesystem::path path = paths_.empty() ? "." : paths_.front();
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(path, ignored);
    return ((is_file ? path.parent_path() : path) / ".lore").string();
  }

  int run(Console& console) override {
    if (!index_.empty()) options_.index = locate_index(index_);
    for (const std::string& path : paths_) options_.paths.emplace_back(path);
    if (options_.paths.empty()) options_.paths.emplace_back(".");
    set_on_interrupt(OnInterrupt::finish_in_hand);
    const ProgressLine line(console.style());
    IndexCallbacks callbacks;
    callbacks.stop = interrupted;
    callbacks.progress = [&](const IndexProgress& p) { console.progress(line.of(p), share_of(p)); };
    callbacks.failed = [&](const FailedFile& failure) {
      console.warn("not read: " + render_failure(failure));
    };
    const IndexReport report = make_library(console).index(options_, callbacks);
    console.progress("");
    console.out(json_ ? to_json(report) + "\n" : render_report(report, console.style()));
    if (report.unsupported > 0) {
      console.note(counted(report.unsupported, "file of another kind was left out",
                           "files of other kinds were left out"));
    }
    return report.failed.empty() ? kDone : kSomeFailed;
  }

 private:
  std::vector<std::string> paths_;
  std::string index_;
  IndexOptions options_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_index_command() { return std::make_unique<IndexCommand>(); }

}  // namespace lore::cli
