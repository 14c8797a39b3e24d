// SHA-256 (FIPS 180-4) of bytes and of files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lore {

/// A running SHA-256. Thread safety: one thread at a time.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  /// 64 lower-case hexadecimal digits. The object is spent afterwards.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view bytes);

/// Reads the file once, in pieces. Throws Error{not_found, io}.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace lore
