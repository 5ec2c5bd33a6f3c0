// @ts-check
import { checkedRounds } from "./costs.mjs";
import { BackupError } from "./errors.mjs";

/** @import { HeaderReader, Sealed } from "./header.mjs" */

/**
 * The header of a Vault2FA backup, version 1: docs/formats/vault2fa-v1.md.
 * @param {HeaderReader} header
 * @returns {Sealed}
 * @throws {BackupError}
 */
export function readVault2FA(header) {
  if (header.integer("version") !== 1n) throw new BackupError("unsupported-version", "version");
  const kdf = header.object("kdf");
  const cipher = header.object("cipher");
  if (kdf.string("name") !== "pbkdf2-hmac-sha256") throw new BackupError("unknown-algorithm", "kdf.name");
  if (cipher.string("name") !== "aes-256-gcm") throw new BackupError("unknown-algorithm", "cipher.name");
  const rounds = checkedRounds(kdf.integer("iterations"), "kdf.iterations");
  const salt = kdf.binary("salt", { length: 16 });
  const nonce = cipher.binary("nonce", { length: 12 });
  const ciphertext = header.binary("ciphertext", { atLeast: 16 });
  const additionalData = new Uint8Array();
  return { format: "vault2fa", version: 1, cost: { rounds }, salt, nonce, additionalData, ciphertext };
}
