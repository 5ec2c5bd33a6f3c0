/* The one function of the reference implementation that a page needs, with plain arguments. */
#include <stdint.h>
#include <stdlib.h>

#include "argon2.h"

__attribute__((export_name("allocate"))) void *seif_allocate(uint32_t count) { return malloc(count); }

__attribute__((export_name("argon2id"))) int seif_argon2id(
    uint8_t *password, uint32_t password_count, uint8_t *salt, uint32_t salt_count, uint8_t *secret,
    uint32_t secret_count, uint8_t *data, uint32_t data_count, uint32_t memory_kib, uint32_t passes, uint32_t lanes,
    uint32_t version, uint8_t *output, uint32_t output_count) {
  argon2_context context = {
      .out = output, .outlen = output_count,
      .pwd = password, .pwdlen = password_count,
      .salt = salt, .saltlen = salt_count,
      .secret = secret, .secretlen = secret_count,
      .ad = data, .adlen = data_count,
      .t_cost = passes, .m_cost = memory_kib, .lanes = lanes, .threads = 1,
      .version = version,
      .flags = ARGON2_FLAG_CLEAR_PASSWORD | ARGON2_FLAG_CLEAR_SECRET,
  };
  return argon2_ctx(&context, Argon2_id);
}
