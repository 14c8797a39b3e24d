#include "index/vectors/list_index.hpp"

#include <faiss/IndexFlat.h>
#include <faiss/IndexScalarQuantizer.h>
#include <faiss/impl/FaissException.h>
#include <faiss/impl/io.h>
#include <faiss/index_io.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "index/vectors/recall_sample.hpp"
#include "lore/error.hpp"

namespace lore::index {
namespace {

// FAISS would start as many threads as the machine has, beside the pool of the program.
class SingleThread {
 public:
  SingleThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~SingleThread() { omp_set_num_threads(before_); }
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  int before_;
};

Error faiss_failed(const std::exception& error) {
  return Error(ErrorCode::internal, std::string("FAISS failed: ") + error.what());
}

Error out_of_memory() {
  return Error(ErrorCode::limit_exceeded, "not enough memory for the vector index");
}

class FaissOutput final : public faiss::IOWriter {
 public:
  explicit FaissOutput(FunctionRef<void(std::span<const std::byte>)> write) : write_(write) {}
  std::size_t operator()(const void* data, std::size_t size, std::size_t count) override {
    write_({static_cast<const std::byte*>(data), size * count});
    return count;
  }

 private:
  FunctionRef<void(std::span<const std::byte>)> write_;
};

class FaissInput final : public faiss::IOReader {
 public:
  explicit FaissInput(FunctionRef<std::size_t(std::span<std::byte>)> read) : read_(read) {}
  std::size_t operator()(void* data, std::size_t size, std::size_t count) override {
    if (size == 0) return 0;
    return read_({static_cast<std::byte*>(data), size * count}) / size;
  }

 private:
  FunctionRef<std::size_t(std::span<std::byte>)> read_;
};

constexpr std::size_t kTrainingPerList = 40;
constexpr double kWantedRecall = 0.98;

std::size_t list_count(std::size_t vectors) {
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(vectors))), 1, 65536);
}

// Every n-th vector, so that all documents have their say in where the lists lie.
std::vector<float> training_vectors(std::size_t dimension, std::size_t count, VectorPass pass) {
  const std::size_t step = std::max<std::size_t>(1, count / (list_count(count) * kTrainingPerList));
  std::vector<float> sample;
  std::size_t position = 0;
  pass([&](std::span<const std::int64_t> ids, std::span<const float> rows) {
    for (std::size_t i = 0; i < ids.size(); ++i, ++position) {
      if (position % step != 0) continue;
      const auto row = rows.subspan(i * dimension, dimension);
      sample.insert(sample.end(), row.begin(), row.end());
    }
  });
  return sample;
}

// "IVF…,SQ8", trained on some of the vectors.
std::unique_ptr<faiss::IndexIVFScalarQuantizer> trained_lists(std::size_t dimension,
                                                              std::size_t count, VectorPass pass) {
  auto quantizer =
      std::make_unique<faiss::IndexFlatIP>(static_cast<faiss::Index::idx_t>(dimension));
  auto ivf = std::make_unique<faiss::IndexIVFScalarQuantizer>(
      quantizer.get(), dimension, list_count(count), faiss::ScalarQuantizer::QT_8bit,
      faiss::METRIC_INNER_PRODUCT, /*encode_residual=*/false);
  static_cast<void>(quantizer.release());  // it belongs to the lists from here on
  ivf->own_fields = true;
  ivf->cp.min_points_per_centroid = 1;  // or it writes a warning to stderr
  ivf->cp.niter = 10;
  ivf->cp.spherical = true;
  const std::vector<float> sample = training_vectors(dimension, count, pass);
  ivf->train(static_cast<faiss::Index::idx_t>(sample.size() / dimension), sample.data());
  return ivf;
}

}  // namespace

struct ListIndex::Impl {
  std::unique_ptr<faiss::IndexIVFScalarQuantizer> index;
};

ListIndex::ListIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ListIndex::ListIndex(ListIndex&&) noexcept = default;
ListIndex& ListIndex::operator=(ListIndex&&) noexcept = default;
ListIndex::~ListIndex() = default;

ListIndex ListIndex::build(std::size_t dimension, std::size_t count, VectorPass pass) {
  const SingleThread single;
  auto impl = std::make_unique<Impl>();
  try {
    impl->index = trained_lists(dimension, count, pass);
    RecallSample sample(dimension, count);
    pass([&](std::span<const std::int64_t> ids, std::span<const float> rows) {
      impl->index->add_with_ids(static_cast<faiss::Index::idx_t>(ids.size()), rows.data(),
                                ids.data());
      sample.offer(ids, rows);
    });
    pass([&](std::span<const std::int64_t> ids, std::span<const float> rows) {
      sample.compare(ids, rows);
    });
    ListIndex result(std::move(impl));
    // Looks into as many lists as it takes to find nearly all.
    faiss::IndexIVFScalarQuantizer& ivf = *result.impl_->index;
    for (std::size_t lists = 8;; lists *= 2) {
      ivf.nprobe = std::min(lists, ivf.nlist);
      result.recall_ = sample.measure(result);
      if (result.recall_ >= kWantedRecall || ivf.nprobe == ivf.nlist) return result;
    }
  } catch (const faiss::FaissException& error) {
    throw faiss_failed(error);
  } catch (const std::bad_alloc&) {
    throw out_of_memory();
  }
}

ListIndex ListIndex::load(FunctionRef<std::size_t(std::span<std::byte>)> read) {
  const SingleThread single;
  auto impl = std::make_unique<Impl>();
  try {
    FaissInput input(read);
    std::unique_ptr<faiss::Index> index(faiss::read_index(&input));
    auto* const lists = dynamic_cast<faiss::IndexIVFScalarQuantizer*>(index.get());
    if (lists == nullptr) {
      throw Error(ErrorCode::corrupt, "a vector index of a kind that this lore does not use");
    }
    static_cast<void>(index.release());
    impl->index.reset(lists);
  } catch (const faiss::FaissException& error) {
    throw Error(ErrorCode::corrupt, std::string("not a vector index: ") + error.what());
  } catch (const std::bad_alloc&) {
    throw out_of_memory();
  }
  return ListIndex(std::move(impl));
}

void ListIndex::save(FunctionRef<void(std::span<const std::byte>)> write) const {
  try {
    FaissOutput output(write);
    faiss::write_index(impl_->index.get(), &output);
  } catch (const faiss::FaissException& error) {
    throw faiss_failed(error);
  }
}

std::size_t ListIndex::dimension() const noexcept {
  return static_cast<std::size_t>(impl_->index->d);
}

std::size_t ListIndex::size() const noexcept {
  return static_cast<std::size_t>(impl_->index->ntotal);
}

std::vector<Neighbour> ListIndex::search(std::span<const float> query, std::size_t limit) const {
  limit = std::min(limit, size());
  if (limit == 0) return {};
  const SingleThread single;
  std::vector<float> scores(limit);
  std::vector<faiss::Index::idx_t> found(limit);
  try {
    impl_->index->search(1, query.data(), static_cast<faiss::Index::idx_t>(limit), scores.data(),
                         found.data());
  } catch (const faiss::FaissException& error) {
    throw faiss_failed(error);
  }
  std::vector<Neighbour> neighbours;
  neighbours.reserve(limit);
  for (std::size_t i = 0; i < limit && found[i] >= 0; ++i) {
    neighbours.push_back({found[i], scores[i]});
  }
  return neighbours;
}

std::vector<std::int64_t> ListIndex::ids() const {
  std::vector<std::int64_t> result;
  const faiss::InvertedLists& lists = *impl_->index->invlists;
  for (std::size_t list = 0; list < lists.nlist; ++list) {
    const faiss::InvertedLists::ScopedIds ids(&lists, list);
    for (std::size_t i = 0; i < lists.list_size(list); ++i) result.push_back(ids[i]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace lore::index
