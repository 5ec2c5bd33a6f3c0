#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

// Function-like macros are not imported.
static inline int seif_ctrl_set_ivlen(EVP_CIPHER_CTX *context, int length) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, length, NULL);
}
static inline int seif_ctrl_get_tag(EVP_CIPHER_CTX *context, int length, void *tag) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, length, tag);
}
static inline int seif_ctrl_set_tag(EVP_CIPHER_CTX *context, int length, const void *tag) {
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, length, (void *)tag);
}

// HMAC-SHA256 under one key; a null result: no memory. Init again without a key starts a new message under the same key.
static inline EVP_MAC_CTX *seif_hmac_sha256_new(const void *key, size_t length) {
  static const unsigned char none = 0;
  EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
  EVP_MAC_free(mac);
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string("digest", (char *)"SHA256", 0), OSSL_PARAM_construct_end()};
  if (context && EVP_MAC_init(context, key ? key : &none, length, parameters) != 1) {
    EVP_MAC_CTX_free(context);
    return NULL;
  }
  return context;
}
static inline int seif_hmac_code(EVP_MAC_CTX *context, const void *message, size_t length, unsigned char *code) {
  size_t written = 0;
  return EVP_MAC_init(context, NULL, 0, NULL) == 1 && EVP_MAC_update(context, message, length) == 1 &&
         EVP_MAC_final(context, code, &written, 32) == 1 && written == 32;
}
