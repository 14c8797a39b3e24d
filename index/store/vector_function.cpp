#include "index/store/vector_function.hpp"

#include <sqlite3.h>

#include <cmath>
#include <vector>

#include "base/simd/vector_ops.hpp"
#include "index/store/vector_blob.hpp"

namespace lore::index {
namespace {

std::vector<float> argument(sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_BLOB) return {};
  const auto* data = static_cast<const std::byte*>(sqlite3_value_blob(value));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  if (data == nullptr || size % sizeof(float) != 0) return {};
  std::vector<float> vector(size / sizeof(float));
  floats_of_blob({data, size}, vector);
  return vector;
}

void similarity(sqlite3_context* context, int, sqlite3_value** arguments) {
  try {
    const std::vector<float> a = argument(arguments[0]);
    const std::vector<float> b = argument(arguments[1]);
    if (a.empty() || a.size() != b.size()) return sqlite3_result_null(context);
    const simd::VectorTable& ops = simd::best_vector_table();
    const double norms = std::sqrt(double{ops.dot_f32(a.data(), a.data(), a.size())}) *
                         std::sqrt(double{ops.dot_f32(b.data(), b.data(), b.size())});
    if (!(norms > 0)) return sqlite3_result_null(context);
    sqlite3_result_double(context, double{ops.dot_f32(a.data(), b.data(), a.size())} / norms);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

void register_vector_function(sqlite3* handle) {
  sqlite3_create_function_v2(handle, "lore_similarity", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                             nullptr, similarity, nullptr, nullptr, nullptr);
}

}  // namespace lore::index
