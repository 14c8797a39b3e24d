#include "ingest/pdf/objects.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/utf8.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr int kMaxReferences = 32;  // of a chain: more is a cycle

/// Runs `read` and answers `fallback` where the object is broken.
template <typename Result, typename Read>
Result guarded(Result fallback, Read read) noexcept {
  try {
    return read();
  } catch (const PoDoFo::PdfError&) {
    return fallback;
  } catch (const std::exception&) {
    return fallback;
  }
}

// PDFDocEncoding where it differs from Latin-1 (ISO 32000-1, annex D.2).
constexpr std::array<char16_t, 8> kDocEncoding18 = {0x02D8, 0x02C7, 0x02C6, 0x02D9,
                                                    0x02DD, 0x02DB, 0x02DA, 0x02DC};
constexpr std::array<char16_t, 33> kDocEncoding80 = {
    0x2022, 0x2020, 0x2021, 0x2026, 0x2014, 0x2013, 0x0192, 0x2044, 0x2039, 0x203A, 0x2212,
    0x2030, 0x201E, 0x201C, 0x201D, 0x2018, 0x2019, 0x201A, 0x2122, 0xFB01, 0xFB02, 0x0141,
    0x0152, 0x0160, 0x0178, 0x017D, 0x0131, 0x0142, 0x0153, 0x0161, 0x017E, 0xFFFD, 0x20AC};

std::string utf16_to_utf8(std::string_view bytes, bool big_endian) {
  const auto unit_at = [&](std::size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]);
    const auto b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(big_endian ? a * 256 + b : b * 256 + a);
  };
  std::string out;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    char32_t unit = unit_at(i);
    if (unit >= 0xD800 && unit < 0xDC00 && i + 3 < bytes.size()) {
      const char32_t low = unit_at(i + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        i += 2;
      }
    }
    if (unit != 0) utf8::append(out, unit);
  }
  return out;
}

}  // namespace

std::string text_string_to_utf8(std::string_view bytes) {
  if (bytes.substr(0, 2) == "\xFE\xFF") return utf16_to_utf8(bytes.substr(2), true);
  if (bytes.substr(0, 2) == "\xFF\xFE") return utf16_to_utf8(bytes.substr(2), false);
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") return utf8::sanitized(bytes.substr(3));
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x18 && byte < 0x20) {
      utf8::append(out, kDocEncoding18[byte - 0x18u]);
    } else if (byte >= 0x80 && byte <= 0xA0) {
      utf8::append(out, kDocEncoding80[byte - 0x80u]);
    } else if (byte != 0) {
      utf8::append(out, byte);
    }
  }
  return out;
}

const Object* Objects::resolve(const Object* object) const noexcept {
  return guarded<const Object*>(nullptr, [&]() -> const Object* {
    for (int i = 0; object != nullptr && i < kMaxReferences; ++i) {
      if (!object->IsReference()) return object->IsNull() ? nullptr : object;
      object = objects_->GetObject(object->GetReference());
    }
    return nullptr;
  });
}

const Object* Objects::get_unresolved(const Object* holder, const char* key) const noexcept {
  holder = resolve(holder);
  return guarded<const Object*>(nullptr, [&]() -> const Object* {
    if (holder == nullptr || !holder->IsDictionary()) return nullptr;
    return holder->GetDictionary().GetKey(PoDoFo::PdfName(key));
  });
}

const Object* Objects::get(const Object* holder, const char* key) const noexcept {
  return resolve(get_unresolved(holder, key));
}

const Object* Objects::dictionary(const Object* holder, const char* key) const noexcept {
  const Object* found = get(holder, key);
  return is_dictionary(found) ? found : nullptr;
}

std::size_t Objects::array_size(const Object* array) const noexcept {
  array = resolve(array);
  return guarded<std::size_t>(
      0, [&]() -> std::size_t { return is_array(array) ? array->GetArray().size() : 0; });
}

const Object* Objects::item_unresolved(const Object* array, std::size_t index) const noexcept {
  array = resolve(array);
  return guarded<const Object*>(nullptr, [&]() -> const Object* {
    if (!is_array(array) || index >= array->GetArray().size()) return nullptr;
    return &array->GetArray()[index];
  });
}

const Object* Objects::item(const Object* array, std::size_t index) const noexcept {
  return resolve(item_unresolved(array, index));
}

std::vector<std::pair<std::string, const Object*>> Objects::entries(const Object* holder) const {
  std::vector<std::pair<std::string, const Object*>> all;
  holder = resolve(holder);
  if (!is_dictionary(holder)) return all;
  for (const auto& [key, value] : holder->GetDictionary().GetKeys()) {
    if (const Object* found = resolve(value)) all.emplace_back(key.GetName(), found);
  }
  return all;
}

std::optional<double> Objects::number(const Object* object) const noexcept {
  object = resolve(object);
  return guarded<std::optional<double>>(std::nullopt, [&]() -> std::optional<double> {
    if (!is_number(object)) return std::nullopt;
    const double value = object->GetReal();
    return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
  });
}

std::optional<double> Objects::number(const Object* holder, const char* key) const noexcept {
  return number(get(holder, key));
}

bool Objects::boolean(const Object* holder, const char* key, bool fallback) const noexcept {
  const Object* found = get(holder, key);
  return guarded(fallback,
                 [&] { return found != nullptr && found->IsBool() ? found->GetBool() : fallback; });
}

std::string Objects::name(const Object* object) const {
  object = resolve(object);
  return is_name(object) ? object->GetName().GetName() : std::string();
}

std::string Objects::name(const Object* holder, const char* key) const {
  return name(get(holder, key));
}

std::string Objects::bytes(const Object* object) const {
  object = resolve(object);
  if (!is_string(object)) return {};
  const PoDoFo::PdfString& string = object->GetString();
  if (!string.IsValid() || string.GetLength() <= 0) return {};
  return {string.GetString(), static_cast<std::size_t>(string.GetLength())};
}

std::string Objects::text(const Object* object) const {
  object = resolve(object);
  if (!is_string(object) || !object->GetString().IsValid()) return {};
  // PoDoFo takes the mark away from UTF-16 strings and remembers it.
  if (object->GetString().IsUnicode()) return utf16_to_utf8(bytes(object), true);
  return text_string_to_utf8(bytes(object));
}

std::vector<double> Objects::numbers(const Object* array, std::size_t limit) const {
  std::vector<double> all(std::min(array_size(array), limit));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = number(item(array, i)).value_or(0);
  return all;
}

bool Objects::is_dictionary(const Object* object) noexcept {
  return guarded(false, [&] { return object != nullptr && object->IsDictionary(); });
}
bool Objects::is_array(const Object* object) noexcept {
  return guarded(false, [&] { return object != nullptr && object->IsArray(); });
}
bool Objects::is_name(const Object* object) noexcept {
  return guarded(false, [&] { return object != nullptr && object->IsName(); });
}
bool Objects::is_string(const Object* object) noexcept {
  return guarded(
      false, [&] { return object != nullptr && (object->IsString() || object->IsHexString()); });
}
bool Objects::is_reference(const Object* object) noexcept {
  return guarded(false, [&] { return object != nullptr && object->IsReference(); });
}
bool Objects::is_number(const Object* object) noexcept {
  return guarded(false,
                 [&] { return object != nullptr && (object->IsNumber() || object->IsReal()); });
}

}  // namespace lore::ingest::pdf
