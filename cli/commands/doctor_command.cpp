#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/processor.hpp"
#include "base/simd/cpu_features.hpp"
#include "cli/command.hpp"
#include "cli/installation.hpp"
#include "cli/json_fields.hpp"
#include "cli/places.hpp"
#include "cli/render/style.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

namespace fs = std::filesystem;

struct Finding {
  std::string name;
  std::string value;
};

/// What is missing, and how to get it.
struct Advice {
  std::string problem;
  bool needed;  ///< lore cannot do its job without it
};

std::string gigabytes(double bytes) { return fixed(bytes * 1e-9, 1) + " GB"; }

double memory_bytes(int pages) {
  return static_cast<double>(::sysconf(pages)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

class DoctorCommand : public Command {
 public:
  std::string name() const override { return "doctor"; }
  std::string help() const override {
    return "Look at this machine, the models and the index, and tell what is missing";
  }

  void declare(CLI::App& verb) override {
    add_value(verb, "--index", index_,
              "The index's folder; without it, the nearest .lore from here upward", "PATH");
    declare_json(verb, json_);
  }

  int run(Console& console) override {
    look_at_machine();
    Library library = make_library(console);
    look_at_models(library);
    look_at_index(library);
    std::error_code ignored;
    const fs::path maps = installation_.reader_files.character_maps / "cMap";
    if (fs::is_directory(maps, ignored)) {
      find("character maps", maps.string());
    } else {
      advise("PDFs with Chinese, Japanese or Korean fonts may lose text: install poppler-data",
             false);
    }
    tell(console);
    const bool fine =
        std::none_of(advice_.begin(), advice_.end(), [](const Advice& one) { return one.needed; });
    return fine ? kDone : kFailed;
  }

 private:
  void find(std::string name, std::string value) {
    findings_.push_back({std::move(name), std::move(value)});
  }
  void advise(std::string problem, bool needed) { advice_.push_back({std::move(problem), needed}); }

  void look_at_machine() {
    const simd::CpuFeatures features = simd::detect_cpu_features();
    std::string others;
    for (const simd::Level level : simd::available_levels(features)) {
      others += (others.empty() ? "" : ", ") + std::string(simd::level_name(level));
    }
    find("version", std::string(version()));
    find("processor", processor_name());
    find("kernels", std::string(simd::level_name(simd::choose_level(features, common.kernels))) +
                        " (of " + others + ")");
    const double memory = memory_bytes(_SC_PHYS_PAGES);
    find("memory",
         gigabytes(memory) + ", " + gigabytes(memory_bytes(_SC_AVPHYS_PAGES)) + " unused");
    constexpr double kEnough = 3e9;
    if (memory < kEnough) {
      advise("there is little memory: answer with the small generator, lore ask -m smollm2", false);
    }
  }

  void look_at_models(const Library& library) {
    find("models folder", models_folder().string());
    const std::vector<InstalledModel> models = library.installed_models();
    for (const InstalledModel& model : models) {
      find("model", model.name + " (" + fixed(static_cast<double>(model.bytes) * 1e-6, 0) + " MB)");
    }
    const bool embeds = std::any_of(models.begin(), models.end(), [](const InstalledModel& model) {
      return model.name == kDefaultEmbedModel;
    });
    if (!embeds) {
      advise("no embedding model: get it with " + installation_.get_models + " " +
                 std::string(kDefaultEmbedModel) + ", or name another by --embed-model",
             true);
    }
    if (!library.default_generator()) {
      advise("no model that writes, so answers are the best sentences themselves: get one with " +
                 installation_.get_models + " " + std::string(kDefaultGenerator),
             false);
    }
  }

  void look_at_index(Library& library) {
    const fs::path user = user_config();
    std::error_code ignored;
    find("settings", user.string() + (fs::exists(user, ignored) ? "" : " (none)"));
    try {
      const fs::path folder = locate_index(index_);
      const IndexStatus status = library.open(folder).status();
      find("index", shown(folder) + ": " + counted(status.documents, "document", "documents") +
                        ", " + counted(status.chunks, "passage", "passages") + ", made with " +
                        status.embed_model);
      if (!status.failed.empty()) {
        advise(counted(status.failed.size(), "file", "files") +
                   " could not be read; lore status lists them",
               false);
      }
    } catch (const Error& error) {
      find("index", "none");
      advise(error.what(), !index_.empty() || error.code() != ErrorCode::not_found);
    }
  }

  void tell(Console& console) const {
    if (json_) {
      Json found = Json::array();
      for (const Finding& one : findings_)
        found.push_back({{"name", one.name}, {"value", one.value}});
      Json problems = Json::array();
      for (const Advice& one : advice_) {
        problems.push_back({{"problem", one.problem}, {"needed", one.needed}});
      }
      console.out(dump({{"found", std::move(found)}, {"problems", std::move(problems)}}) + "\n");
      return;
    }
    const Style style = console.style();
    constexpr std::size_t kWidth = 15;
    for (const Finding& one : findings_) {
      std::string name = one.name;
      name.resize(std::max(kWidth, name.size()), ' ');
      console.out(style.bold(name) + printable(one.value) + "\n");
    }
    for (const Advice& one : advice_) {
      console.out((one.needed ? style.red("missing") : std::string("note")) + ": " +
                  printable(one.problem) + "\n");
    }
    if (advice_.empty()) console.out("All is there.\n");
  }

  const Installation installation_ = find_installation();
  std::string index_;
  bool json_ = false;
  std::vector<Finding> findings_;
  std::vector<Advice> advice_;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace lore::cli
