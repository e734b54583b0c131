// SPDX-License-Identifier: Apache-2.0
#include "sha256.h"

#include <openssl/evp.h>

#include <array>

#include "check.h"

namespace assay {
namespace {

using Context = std::unique_ptr<void, void (*)(void*)>;

EVP_MD_CTX* At(const Context& context) { return static_cast<EVP_MD_CTX*>(context.get()); }

Context NewContext() {
  return {EVP_MD_CTX_new(), [](void* at) { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(at)); }};
}

}  // namespace

Sha256Sum::Sha256Sum() : context_(NewContext()) {
  Check(EVP_DigestInit_ex(At(context_), EVP_sha256(), nullptr) == 1, "SHA-256 is there");
}

void Sha256Sum::Add(std::span<const uint8_t> bytes) {
  Check(EVP_DigestUpdate(At(context_), bytes.data(), bytes.size()) == 1, "SHA-256 adds bytes");
}

std::string Sha256Sum::Digits() const {
  const Context copy = NewContext();  // a sum that is finished takes no more bytes
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  Check(EVP_MD_CTX_copy_ex(At(copy), At(context_)) == 1 &&
            EVP_DigestFinal_ex(At(copy), digest.data(), &length) == 1,
        "SHA-256 finishes");
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::string Sha256(std::span<const uint8_t> bytes) {
  Sha256Sum sum;
  sum.Add(bytes);
  return sum.Digits();
}

}  // namespace assay
