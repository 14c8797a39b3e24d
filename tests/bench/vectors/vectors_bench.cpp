// Times the exact nearest neighbours of single queries, one thread, beside FAISS's flat index in
// the same process, the two taking turns. Prints one JSON object.
//
//   vectors_bench [--n 1000000] [--dim 384] [--k 10] [--queries 10] [--kernels auto]
//                 [--uniform] [--common X] [--exact-codes N] [--write FILE]
//
// The vectors are unit vectors around random centres, or with --uniform of random directions; with
// --common all of them lean towards one direction, X times as much as they differ (2: cosines of
// 0.8 between any two, as some models give them). The queries are more of them. What is timed is
// what a search of the product does: VectorSearch over the published file, in a transaction of its
// own, and the scores from the vectors in SQLite.
// --kernels forces the instruction set of the scan; the few scores at its end use the widest.
// --exact-codes 1 measures FAISS's inverted lists in place of the scan. --write stores vectors and
// queries as float32, for faiss_peer.py.
#include <faiss/IndexFlat.h>
#include <omp.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/simd/scan_ops.hpp"
#include "index/publish.hpp"
#include "index/store/catalog.hpp"
#include "index/store/schema.hpp"
#include "index/store/vector_blob.hpp"
#include "index/vector_search.hpp"
#include "lore/error.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using Flags = std::map<std::string, std::string>;

std::size_t number(const Flags& flags, const std::string& name, std::size_t fallback) {
  const auto found = flags.find(name);
  return found == flags.end() ? fallback : std::stoul(found->second);
}

struct Time {
  double wall = 0;       // seconds
  double processor = 0;  // of this thread: what counts where others load the machine
};

Time now() {
  const auto read = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  return {read(CLOCK_MONOTONIC), read(CLOCK_THREAD_CPUTIME_ID)};
}

Time since(const Time& start) {
  const Time end = now();
  return {end.wall - start.wall, end.processor - start.processor};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The same vectors on every run and machine: SplitMix64, and sums of four uniform numbers for
// normal ones.
class Source {
 public:
  Source(std::size_t dimension, std::size_t centres, float common)
      : dimension_(dimension), centres_(centres * dimension), common_(dimension) {
    for (float& value : centres_) value = normal();
    // As long as the rest of a vector, on average.
    const float length = centres == 0 ? 1.0F : std::sqrt(2.0F);
    for (float& value : common_) value = common * length * normal();
  }

  // A unit vector; `out`: [dimension].
  void next(std::span<float> out) {
    for (float& value : out) value = normal();
    if (!centres_.empty()) {
      const std::size_t centre = bits() % (centres_.size() / dimension_);
      for (std::size_t i = 0; i < dimension_; ++i) out[i] += centres_[centre * dimension_ + i];
    }
    for (std::size_t i = 0; i < dimension_; ++i) out[i] += common_[i];
    normalize(out);
  }

 private:
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  float normal() {
    const std::uint64_t four = bits();
    std::uint64_t sum = 0;
    for (int shift = 0; shift < 64; shift += 16) sum += (four >> shift) & 0xFFFFU;
    return (static_cast<float>(sum) - 131070.0F) / 37837.0F;
  }

  std::size_t dimension_;
  std::uint64_t state_ = 1;
  std::vector<float> centres_;  // [centres, dimension]
  std::vector<float> common_;   // [dimension]
};

struct Setting {
  std::size_t count;
  std::size_t dimension;
  std::size_t nearest;
  std::size_t queries;
  bool uniform;
  float common;
  std::size_t exact_codes;
  std::string write;
};

class Bench {
 public:
  Bench(const Setting& setting, const simd::ScanTable& scan)
      : setting_(setting),
        scan_(scan),
        model_(test::model(setting.dimension)),
        database_(temporary_.path() / "index.sqlite", OpenMode::create),
        search_(temporary_.path(), {}, scan),
        flat_(static_cast<faiss::Index::idx_t>(setting.dimension)),
        queries_(setting.queries * setting.dimension) {
    omp_set_num_threads(1);
    fill();
    const Time start = now();
    publish_generation(database_, model_, {temporary_.path(), system_files(), setting.exact_codes});
    build_ = since(start);
  }

  void run() {
    const Time start = now();
    Transaction transaction(database_, Transaction::Kind::read);
    if (search_.generation(database_, model_) == nullptr) {
      throw Error(ErrorCode::internal, search_.refusal());
    }
    transaction.commit();
    open_ = since(start).wall;
    for (std::size_t q = 0; q < setting_.queries; ++q) take_turns(q);
    print();
  }

 private:
  // Straight into the table of vectors: documents and full text have no part in this.
  void fill() {
    prepare_for_writing(database_, [&](Database& database) { write_model(database, model_); });
    database_.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;");
    std::ofstream file;
    if (!setting_.write.empty()) file.open(setting_.write, std::ios::binary);
    const auto write = [&](std::span<const float> values) {
      if (!file.is_open()) return;
      file.write(static_cast<const char*>(static_cast<const void*>(values.data())),
                 static_cast<std::streamsize>(values.size_bytes()));
    };
    Source source(setting_.dimension, setting_.uniform ? 0 : 1 + setting_.count / 500,
                  setting_.common);
    flat_.codes.reserve(setting_.count * setting_.dimension * sizeof(float));
    Transaction transaction(database_, Transaction::Kind::write);
    Statement insert = database_.prepare("INSERT INTO vectors(chunk_id, data) VALUES (?, ?)");
    std::vector<float> row(setting_.dimension);
    std::vector<float> scratch;
    for (std::size_t i = 0; i < setting_.count; ++i) {
      source.next(row);
      insert.run(i + 1, blob_of_floats(row, scratch));
      flat_.add(1, row.data());
      write(row);
    }
    transaction.commit();
    for (std::size_t q = 0; q < setting_.queries; ++q) source.next(query(q));
    write(queries_);
  }

  std::span<float> query(std::size_t q) {
    return std::span(queries_).subspan(q * setting_.dimension, setting_.dimension);
  }

  void take_turns(std::size_t q) {
    std::vector<float> scores(setting_.nearest);
    std::vector<faiss::Index::idx_t> places(setting_.nearest);
    const Time theirs = now();
    flat_.search(1, query(q).data(), static_cast<faiss::Index::idx_t>(setting_.nearest),
                 scores.data(), places.data());
    faiss_.push_back(since(theirs));

    const Time ours = now();
    Transaction transaction(database_, Transaction::Kind::read);
    const std::vector<TopList::Entry> found =
        search_.search(database_, model_, query(q), setting_.nearest, nullptr);
    transaction.commit();
    lore_.push_back(since(ours));

    for (const TopList::Entry& entry : found) {
      agreed_ += std::find(places.begin(), places.end(), entry.id - 1) != places.end();
    }
    count_candidates(query(q), found.empty() ? 0 : found.back().score);
  }

  // How many vectors are scored with SQLite's: those whose bound reaches the last of the nearest.
  void count_candidates(std::span<const float> query, float last) {
    const ExactIndex* const exact = search_.generation(database_, model_)->exact();
    if (exact == nullptr) return;
    const auto found = exact->candidates(query, setting_.nearest, scan_);
    if (!found) return;
    listed_ += found->best_first.size();
    scored_ += static_cast<std::size_t>(
        std::count_if(found->best_first.begin(), found->best_first.end(),
                      [&](const auto& candidate) { return !(candidate.upper < last); }));
  }

  void print() const {
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> ratios;
    std::vector<double> processor_ratios;
    for (std::size_t q = 0; q < lore_.size(); ++q) {
      ours.push_back(lore_[q].wall);
      theirs.push_back(faiss_[q].wall);
      ratios.push_back(faiss_[q].wall / lore_[q].wall);
      processor_ratios.push_back(faiss_[q].processor / lore_[q].processor);
    }
    const auto queries = static_cast<double>(setting_.queries);
    const std::optional<GenerationRecord> record = read_generation(database_);
    std::printf(
        "{\"seconds_per_query\":%.6f,\"faiss_seconds_per_query\":%.6f,\"ratio\":%.2f,"
        "\"processor_ratio\":%.2f,\"candidates\":%.1f,\"listed\":%.1f,\"agreement\":%.4f,"
        "\"n\":%zu,\"dim\":%zu,\"k\":%zu,\"queries\":%zu,\"level\":\"%s\",\"kind\":\"%s\","
        "\"vectors\":\"%s\",\"common\":%.1f,\"recall\":%.4f,\"build_seconds\":%.3f,\"build_"
        "processor_seconds\":%.3f,\"open_"
        "seconds\":%.3f,"
        "\"bytes_per_vector\":%.1f}\n",
        median(ours), median(theirs), median(ratios), median(processor_ratios),
        static_cast<double>(scored_) / queries, static_cast<double>(listed_) / queries,
        static_cast<double>(agreed_) / (queries * static_cast<double>(setting_.nearest)),
        setting_.count, setting_.dimension, setting_.nearest, setting_.queries, scan_.name,
        record->kind.c_str(), setting_.uniform ? "uniform" : "clustered", double{setting_.common},
        record->recall, build_.wall, build_.processor, open_,
        static_cast<double>(record->bytes) / static_cast<double>(setting_.count));
  }

  Setting setting_;
  const simd::ScanTable& scan_;
  lore::test::TemporaryFolder temporary_;
  ModelFingerprint model_;
  mutable Database database_;  // reading moves its statements
  VectorSearch search_;
  faiss::IndexFlatIP flat_;
  std::vector<float> queries_;  // [queries, dimension]
  std::vector<Time> lore_;      // a query
  std::vector<Time> faiss_;
  std::size_t agreed_ = 0;
  std::size_t scored_ = 0;
  std::size_t listed_ = 0;
  Time build_;
  double open_ = 0;  // seconds
};

Flags parsed(int count, char** arguments) {
  Flags flags;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--uniform") {
      flags[name] = "1";
    } else if (i + 1 < count) {
      flags[name] = arguments[++i];
    } else {
      throw Error(ErrorCode::invalid_argument, name + " needs a value");
    }
  }
  return flags;
}

void run(const Flags& flags) {
  Setting setting;
  setting.count = number(flags, "--n", 1'000'000);
  setting.dimension = number(flags, "--dim", 384);
  setting.nearest = number(flags, "--k", 10);
  setting.queries = std::max<std::size_t>(number(flags, "--queries", 10), 1);
  setting.uniform = flags.contains("--uniform");
  setting.common = flags.contains("--common") ? std::stof(flags.at("--common")) : 0;
  setting.exact_codes = number(flags, "--exact-codes", VectorIndex::kExactCodes);
  if (flags.contains("--write")) setting.write = flags.at("--write");
  const simd::CpuFeatures features = simd::detect_cpu_features();
  const std::string kernels = flags.contains("--kernels") ? flags.at("--kernels") : "auto";
  Bench(setting, simd::scan_table(features, simd::choose_level(features, kernels))).run();
}

}  // namespace
}  // namespace lore::index

int main(int count, char** arguments) {
  try {
    lore::index::run(lore::index::parsed(count, arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vectors_bench: %s\n", error.what());
    return 1;
  }
}
