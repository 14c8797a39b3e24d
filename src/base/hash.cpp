#include "base/hash.hpp"

#include <openssl/evp.h>

#include <array>
#include <vector>

#include "base/file.hpp"
#include "lore/error.hpp"

namespace lore {

struct Sha256::Context {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> handle{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  if (!context_->handle || EVP_DigestInit_ex(context_->handle.get(), EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorCode::internal, "cannot start SHA-256");
  }
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(context_->handle.get(), bytes.data(), bytes.size());
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context_->handle.get(), digest.data(), &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex.push_back(kDigits[digest[i] >> 4]);
    hex.push_back(kDigits[digest[i] & 15]);
  }
  return hex;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  FileReader reader(path);
  Sha256 hash;
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  while (const std::size_t size = reader.read(buffer)) {
    hash.update(std::span(buffer).first(size));
  }
  return hash.finish();
}

}  // namespace lore
