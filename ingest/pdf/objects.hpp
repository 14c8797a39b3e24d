// Reading PoDoFo's objects without its exceptions: references followed, wrong types as nothing.
#pragma once

#include <podofo/podofo.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lore::ingest::pdf {

using Object = PoDoFo::PdfObject;

/// Looks up objects of one document, which must outlive it. An object that is missing, broken or
/// of another type than asked for comes back as nullptr, nothing or an empty value.
/// Thread safety: one thread (PoDoFo loads objects when they are first asked for).
class Objects {
 public:
  explicit Objects(const PoDoFo::PdfVecObjects& objects) : objects_(&objects) {}

  /// Follows references; nullptr for null, too.
  const Object* resolve(const Object* object) const noexcept;

  /// The resolved value under `key`. `holder` is a dictionary or a stream, or a reference to one.
  const Object* get(const Object* holder, const char* key) const noexcept;

  /// The value as it stands in the dictionary, for its reference.
  const Object* get_unresolved(const Object* holder, const char* key) const noexcept;

  /// A resolved dictionary (or a stream's), or nullptr.
  const Object* dictionary(const Object* holder, const char* key) const noexcept;

  std::size_t array_size(const Object* array) const noexcept;
  const Object* item(const Object* array, std::size_t index) const noexcept;
  const Object* item_unresolved(const Object* array, std::size_t index) const noexcept;

  /// Keys with their resolved values.
  std::vector<std::pair<std::string, const Object*>> entries(const Object* holder) const;

  std::optional<double> number(const Object* object) const noexcept;
  std::optional<double> number(const Object* holder, const char* key) const noexcept;
  bool boolean(const Object* holder, const char* key, bool fallback) const noexcept;
  std::string name(const Object* object) const;
  std::string name(const Object* holder, const char* key) const;
  /// The bytes of a string.
  std::string bytes(const Object* object) const;
  /// A text string as UTF-8: UTF-16 or UTF-8 by its mark, else PDFDocEncoding.
  std::string text(const Object* object) const;
  /// Numbers of an array; what is no number is 0. At most `limit` of them.
  std::vector<double> numbers(const Object* array, std::size_t limit) const;

  static bool is_dictionary(const Object* object) noexcept;
  static bool is_array(const Object* object) noexcept;
  static bool is_name(const Object* object) noexcept;
  static bool is_string(const Object* object) noexcept;
  static bool is_number(const Object* object) noexcept;
  static bool is_reference(const Object* object) noexcept;

 private:
  const PoDoFo::PdfVecObjects* objects_;
};

/// A text string's bytes as UTF-8.
std::string text_string_to_utf8(std::string_view bytes);

}  // namespace lore::ingest::pdf
