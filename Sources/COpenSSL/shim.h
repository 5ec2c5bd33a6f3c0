#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include "../CSeif/loader.h"

// No `link`: libcrypto's thousands of relocations are half of the program's start, and many commands never need it. Its
// functions, each with the type that the library's own header gives it, are found when the first is called.
#define SEIF_LIBCRYPTO(ENTRY)                                                                                          \
  ENTRY(EVP_CIPHER_CTX_new) ENTRY(EVP_CIPHER_CTX_free) ENTRY(EVP_CIPHER_CTX_ctrl)                                      \
  ENTRY(EVP_CipherInit_ex) ENTRY(EVP_CipherUpdate) ENTRY(EVP_CipherFinal_ex) ENTRY(EVP_aes_256_gcm)                    \
  ENTRY(EVP_MD_CTX_new) ENTRY(EVP_MD_CTX_free) ENTRY(EVP_DigestInit_ex) ENTRY(EVP_DigestUpdate)                        \
  ENTRY(EVP_DigestFinal_ex)                                                                                            \
  ENTRY(EVP_Digest) ENTRY(EVP_md5) ENTRY(EVP_sha1) ENTRY(EVP_sha256) ENTRY(EVP_sha512)                                 \
  ENTRY(EVP_Q_mac) ENTRY(EVP_MAC_fetch) ENTRY(EVP_MAC_free) ENTRY(EVP_MAC_CTX_new) ENTRY(EVP_MAC_CTX_free)             \
  ENTRY(EVP_MAC_init) ENTRY(EVP_MAC_update) ENTRY(EVP_MAC_final)                                                       \
  ENTRY(OSSL_PARAM_construct_utf8_string) ENTRY(OSSL_PARAM_construct_end)                                              \
  ENTRY(PKCS5_PBKDF2_HMAC) ENTRY(RAND_bytes)                                                                           \
  ENTRY(OSSL_PARAM_construct_octet_string)                                                                             \
  ENTRY(EVP_PKEY_CTX_new_from_name) ENTRY(EVP_PKEY_CTX_free) ENTRY(EVP_PKEY_fromdata_init) ENTRY(EVP_PKEY_fromdata)    \
  ENTRY(EVP_PKEY_free) ENTRY(EVP_PKEY_Q_keygen) ENTRY(EVP_PKEY_get_octet_string_param)                                 \
  ENTRY(EVP_DigestVerifyInit_ex) ENTRY(EVP_DigestVerify)                                                              \
  ENTRY(EVP_DigestSignInit_ex) ENTRY(EVP_DigestSign) ENTRY(ERR_clear_error)

SEIF_LIBRARY(libcrypto, RTLD_LAZY, SEIF_LIBCRYPTO)

// Function-like macros are not imported.
static inline int seif_ctrl_get_tag(const seif_libcrypto *c, EVP_CIPHER_CTX *context, int length, void *tag) {
  return c->EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, length, tag);
}
static inline int seif_ctrl_set_tag(const seif_libcrypto *c, EVP_CIPHER_CTX *context, int length, const void *tag) {
  return c->EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, length, (void *)tag);
}

// HMAC-SHA256 under one key; a null result: no memory. Init again without a key starts a new message under the same key.
static inline EVP_MAC_CTX *seif_hmac_sha256_new(const seif_libcrypto *c, const void *key, size_t length) {
  static const unsigned char none = 0;
  EVP_MAC *mac = c->EVP_MAC_fetch(NULL, "HMAC", NULL);
  EVP_MAC_CTX *context = mac ? c->EVP_MAC_CTX_new(mac) : NULL;
  c->EVP_MAC_free(mac);
  OSSL_PARAM parameters[] = {
      c->OSSL_PARAM_construct_utf8_string("digest", (char *)"SHA256", 0), c->OSSL_PARAM_construct_end()};
  if (context && c->EVP_MAC_init(context, key ? key : &none, length, parameters) != 1) {
    c->EVP_MAC_CTX_free(context);
    return NULL;
  }
  return context;
}
static inline int seif_hmac_code(
    const seif_libcrypto *c, EVP_MAC_CTX *context, const void *message, size_t length, unsigned char *code) {
  size_t written = 0;
  return c->EVP_MAC_init(context, NULL, 0, NULL) == 1 && c->EVP_MAC_update(context, message, length) == 1 &&
         c->EVP_MAC_final(context, code, &written, 32) == 1 && written == 32;
}

// A public key of P-256 from its uncompressed point; null: the point isn't on the curve, or no memory.
static inline EVP_PKEY *seif_p256_public(const seif_libcrypto *c, const void *point, size_t length) {
  EVP_PKEY_CTX *context = c->EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  EVP_PKEY *key = NULL;
  OSSL_PARAM parameters[] = {
      c->OSSL_PARAM_construct_utf8_string("group", (char *)"prime256v1", 0),
      c->OSSL_PARAM_construct_octet_string("pub", (void *)point, length), c->OSSL_PARAM_construct_end()};
  if (context && c->EVP_PKEY_fromdata_init(context) == 1)
    c->EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
  c->EVP_PKEY_CTX_free(context);
  c->ERR_clear_error();
  return key;
}

// 1: the signature (DER) is the key's over the message by ECDSA with SHA-256.
static inline int seif_es256_verify(const seif_libcrypto *c, EVP_PKEY *key, const void *message, size_t message_length,
    const void *signature, size_t length) {
  EVP_MD_CTX *context = c->EVP_MD_CTX_new();
  int done = context && c->EVP_DigestVerifyInit_ex(context, NULL, "SHA2-256", NULL, NULL, key, NULL) == 1 &&
             c->EVP_DigestVerify(context, signature, length, message, message_length) == 1;
  c->EVP_MD_CTX_free(context);
  // What a forged signature leaves behind belongs to nobody.
  c->ERR_clear_error();
  return done;
}

// A new key pair of P-256 (the function is variadic); null: no memory.
static inline EVP_PKEY *seif_p256_make(const seif_libcrypto *c) {
  return c->EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

// Writes a signature of at most `room` bytes; 0: it failed.
static inline size_t seif_es256_sign(const seif_libcrypto *c, EVP_PKEY *key, const void *message, size_t message_length,
    void *signature, size_t room) {
  EVP_MD_CTX *context = c->EVP_MD_CTX_new();
  size_t length = room;
  int done = context && c->EVP_DigestSignInit_ex(context, NULL, "SHA2-256", NULL, NULL, key, NULL) == 1 &&
             c->EVP_DigestSign(context, signature, &length, message, message_length) == 1;
  c->EVP_MD_CTX_free(context);
  return done ? length : 0;
}
