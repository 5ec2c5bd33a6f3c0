#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <fido.h>
#include "../CSeif/loader.h"

// No `link`: the library and what it loads (hidapi, udev) are for those who use a security key. Its functions, each with
// the type that the header gives it, are found when the first is called.
#define SEIF_LIBFIDO2(ENTRY)                                                                                           \
  ENTRY(fido_init) ENTRY(fido_dev_info_new) ENTRY(fido_dev_info_manifest) ENTRY(fido_dev_info_ptr)                     \
  ENTRY(fido_dev_info_path) ENTRY(fido_dev_info_free) ENTRY(fido_dev_new) ENTRY(fido_dev_open) ENTRY(fido_dev_close)   \
  ENTRY(fido_dev_free) ENTRY(fido_dev_is_fido2) ENTRY(fido_dev_has_pin) ENTRY(fido_dev_has_uv)                         \
  ENTRY(fido_dev_supports_cred_prot) ENTRY(fido_dev_get_retry_count) ENTRY(fido_dev_make_cred)                         \
  ENTRY(fido_dev_get_assert) ENTRY(fido_cbor_info_new) ENTRY(fido_cbor_info_free) ENTRY(fido_dev_get_cbor_info)        \
  ENTRY(fido_cbor_info_extensions_ptr) ENTRY(fido_cbor_info_extensions_len)                                            \
  ENTRY(fido_cred_new) ENTRY(fido_cred_free) ENTRY(fido_cred_set_type) ENTRY(fido_cred_set_clientdata_hash)            \
  ENTRY(fido_cred_set_rp) ENTRY(fido_cred_set_user) ENTRY(fido_cred_set_extensions) ENTRY(fido_cred_set_prot)          \
  ENTRY(fido_cred_set_rk) ENTRY(fido_cred_set_uv) ENTRY(fido_cred_id_ptr) ENTRY(fido_cred_id_len)                      \
  ENTRY(fido_assert_new) ENTRY(fido_assert_free) ENTRY(fido_assert_set_clientdata_hash) ENTRY(fido_assert_set_rp)      \
  ENTRY(fido_assert_allow_cred) ENTRY(fido_assert_set_extensions) ENTRY(fido_assert_set_hmac_salt)                     \
  ENTRY(fido_assert_set_up) ENTRY(fido_assert_set_uv) ENTRY(fido_assert_hmac_secret_ptr)                               \
  ENTRY(fido_assert_hmac_secret_len) ENTRY(fido_assert_count)

SEIF_LIBRARY(libfido2, RTLD_LAZY, SEIF_LIBFIDO2)

// COSE_ES256 is -7.
enum { SEIF_COSE_ES256 = COSE_ES256 };
