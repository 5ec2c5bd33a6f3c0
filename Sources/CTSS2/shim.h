#pragma once
#include <stddef.h>
#include <string.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>
#include "../CSeif/loader.h"

// No `link`: three libraries and what they load, for the few who use a TPM. Their functions, each with the type that the
// header gives it, are found when the first is called.
#define SEIF_TSS2_ESYS(ENTRY)                                                                                          \
  ENTRY(Esys_Initialize) ENTRY(Esys_Finalize) ENTRY(Esys_Free) ENTRY(Esys_CreatePrimary) ENTRY(Esys_Create)            \
  ENTRY(Esys_Load) ENTRY(Esys_Unseal) ENTRY(Esys_StartAuthSession) ENTRY(Esys_TRSess_SetAttributes)                    \
  ENTRY(Esys_TR_SetAuth) ENTRY(Esys_TR_GetName) ENTRY(Esys_PolicyPCR) ENTRY(Esys_PolicyAuthValue)                      \
  ENTRY(Esys_PolicyGetDigest) ENTRY(Esys_FlushContext) ENTRY(Esys_GetCapability)
#define SEIF_TSS2_TCTI(ENTRY) ENTRY(Tss2_TctiLdr_Initialize) ENTRY(Tss2_TctiLdr_Finalize)
#define SEIF_TSS2_MU(ENTRY)                                                                                            \
  ENTRY(Tss2_MU_TPM2B_PUBLIC_Marshal) ENTRY(Tss2_MU_TPM2B_PUBLIC_Unmarshal)                                            \
  ENTRY(Tss2_MU_TPM2B_PRIVATE_Marshal) ENTRY(Tss2_MU_TPM2B_PRIVATE_Unmarshal)

typedef struct { SEIF_TSS2_ESYS(SEIF_FIELD) SEIF_TSS2_TCTI(SEIF_FIELD) SEIF_TSS2_MU(SEIF_FIELD) } seif_tss2;

// The table, filled; null: a library, or a function of one, isn't there.
static inline const seif_tss2 *seif_load_tss2(const char *esys, const char *tcti, const char *mu) {
  static seif_tss2 table;
  SEIF_FILL(esys, RTLD_LAZY, SEIF_TSS2_ESYS)
  SEIF_FILL(tcti, RTLD_LAZY, SEIF_TSS2_TCTI)
  SEIF_FILL(mu, RTLD_LAZY, SEIF_TSS2_MU)
  return &table;
}

// Macros with casts are not imported.
enum {
  SEIF_ESYS_NONE = ESYS_TR_NONE,
  SEIF_ESYS_PASSWORD = ESYS_TR_PASSWORD,
  SEIF_ESYS_OWNER = ESYS_TR_RH_OWNER,
  SEIF_SE_HMAC = TPM2_SE_HMAC,
  SEIF_SE_POLICY = TPM2_SE_POLICY,
  SEIF_SE_TRIAL = TPM2_SE_TRIAL,
  SEIF_SESSION_CONTINUE = TPMA_SESSION_CONTINUESESSION,
  SEIF_SESSION_DECRYPT = TPMA_SESSION_DECRYPT,
  SEIF_SESSION_ENCRYPT = TPMA_SESSION_ENCRYPT,
  SEIF_ALG_SHA256 = TPM2_ALG_SHA256,
  SEIF_CAP_PROPERTIES = TPM2_CAP_TPM_PROPERTIES,
  SEIF_PT_LOCKOUT_COUNTER = TPM2_PT_LOCKOUT_COUNTER,
  SEIF_PT_MAX_AUTH_FAIL = TPM2_PT_MAX_AUTH_FAIL,
  SEIF_PT_LOCKOUT_INTERVAL = TPM2_PT_LOCKOUT_INTERVAL,
};

// The storage key of the TCG's provisioning guidance: ECC P-256, AES-128-CFB, restricted, under the owner's hierarchy.
static inline void seif_tpm_primary_template(TPM2B_PUBLIC *template) {
  memset(template, 0, sizeof *template);
  TPMT_PUBLIC *area = &template->publicArea;
  area->type = TPM2_ALG_ECC;
  area->nameAlg = TPM2_ALG_SHA256;
  area->objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN |
                           TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT;
  area->parameters.eccDetail.symmetric.algorithm = TPM2_ALG_AES;
  area->parameters.eccDetail.symmetric.keyBits.aes = 128;
  area->parameters.eccDetail.symmetric.mode.aes = TPM2_ALG_CFB;
  area->parameters.eccDetail.scheme.scheme = TPM2_ALG_NULL;
  area->parameters.eccDetail.curveID = TPM2_ECC_NIST_P256;
  area->parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL;
  area->unique.ecc.x.size = 32;
  area->unique.ecc.y.size = 32;
}

// A sealed object that only a policy opens. Without a PIN nobody can guess, so that a guess must not lock the TPM.
static inline void seif_tpm_sealed_template(TPM2B_PUBLIC *template, const TPM2B_DIGEST *policy, int has_pin) {
  memset(template, 0, sizeof *template);
  TPMT_PUBLIC *area = &template->publicArea;
  area->type = TPM2_ALG_KEYEDHASH;
  area->nameAlg = TPM2_ALG_SHA256;
  area->objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | (has_pin ? 0 : TPMA_OBJECT_NODA);
  area->authPolicy = *policy;
  area->parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL;
}

// Whether a public part that came from a file is such an object.
static inline int seif_tpm_is_sealed(const TPM2B_PUBLIC *object) {
  const TPMT_PUBLIC *area = &object->publicArea;
  return area->type == TPM2_ALG_KEYEDHASH && area->nameAlg == TPM2_ALG_SHA256 &&
         (area->objectAttributes & (TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT)) ==
             (TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT) &&
         (area->objectAttributes & TPMA_OBJECT_USERWITHAUTH) == 0;
}

static inline void seif_tpm_session_cipher(TPMT_SYM_DEF *cipher) {
  memset(cipher, 0, sizeof *cipher);
  cipher->algorithm = TPM2_ALG_AES;
  cipher->keyBits.aes = 128;
  cipher->mode.aes = TPM2_ALG_CFB;
}

// A selection of PCRs 0 to 23 of the SHA-256 bank, a bit each; no bit: an empty selection.
static inline void seif_tpm_selection(TPML_PCR_SELECTION *selection, unsigned pcrs) {
  memset(selection, 0, sizeof *selection);
  if (pcrs == 0) return;
  selection->count = 1;
  selection->pcrSelections[0].hash = TPM2_ALG_SHA256;
  selection->pcrSelections[0].sizeofSelect = 3;
  for (int byte = 0; byte < 3; byte++) selection->pcrSelections[0].pcrSelect[byte] = (pcrs >> (8 * byte)) & 0xFF;
}

// A property's value, or -1.
static inline long seif_tpm_property(const TPMS_CAPABILITY_DATA *data, unsigned property) {
  for (unsigned index = 0; index < data->data.tpmProperties.count && index < TPM2_MAX_TPM_PROPERTIES; index++)
    if (data->data.tpmProperties.tpmProperty[index].property == property)
      return data->data.tpmProperties.tpmProperty[index].value;
  return -1;
}
