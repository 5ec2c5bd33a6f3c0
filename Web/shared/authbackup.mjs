// @ts-check
import { checkedArgon2id, checkedRounds } from "./costs.mjs";
import { asciiLowerCase, joinBytes } from "./encodings.mjs";
import { BackupError } from "./errors.mjs";

/** @import { HeaderReader, Sealed } from "./header.mjs" */

/**
 * The header of an `.authbackup`, versions 1 (in both layouts) and 2: docs/formats/authbackup-v1.md, authbackup-v2.md.
 * @param {HeaderReader} header
 * @returns {Sealed}
 * @throws {BackupError}
 */
export function readAuthBackup(header) {
  const version = header.integer("version");
  if (version !== 1n && version !== 2n) throw new BackupError("unsupported-version", "version");
  const kdf = asciiLowerCase(header.string("kdf"));
  if (kdf !== (version === 1n ? "pbkdf2-hmac-sha256" : "argon2id")) throw new BackupError("unknown-algorithm", "kdf");
  if (header.string("cipher") !== "AES-256-GCM") throw new BackupError("unknown-algorithm", "cipher");
  return version === 1n ? readVersion1(header) : readVersion2(header);
}

/**
 * @param {HeaderReader} header
 * @returns {Sealed}
 */
function readVersion1(header) {
  const rounds = checkedRounds(header.integer("rounds"), "rounds");
  // Nothing else marks the layout of Android 1.0.
  const lineBreaks = !header.has("tag");
  const salt = header.binary("salt", { length: 16, lineBreaks });
  const nonce = header.binary("nonce", { length: 12, lineBreaks });
  /** @type {Pick<Sealed, "format" | "version" | "cost" | "salt" | "nonce">} */
  const common = { format: "authbackup", version: 1, cost: { rounds }, salt, nonce };
  if (lineBreaks) {
    const ciphertext = header.binary("ciphertext", { atLeast: 16, lineBreaks });
    return { ...common, additionalData: new Uint8Array(), ciphertext };
  }
  return {
    ...common, additionalData: bound(`authbackup:1:${rounds}:`, salt),
    ciphertext: joinBytes(header.binary("ciphertext"), header.binary("tag", { length: 16 })),
  };
}

/**
 * @param {HeaderReader} header
 * @returns {Sealed}
 */
function readVersion2(header) {
  const cost = checkedArgon2id({
    memoryKiB: header.integer("memoryKiB"), passes: header.integer("passes"), lanes: header.integer("lanes"),
  });
  const salt = header.binary("salt", { length: 16 });
  const nonce = header.binary("nonce", { length: 12 });
  const ciphertext = joinBytes(header.binary("ciphertext"), header.binary("tag", { length: 16 }));
  const numbers = `${cost.memoryKiB}:${cost.passes}:${cost.lanes}`;
  const additionalData = bound(`authbackup:2:argon2id:${numbers}:`, salt);
  return { format: "authbackup", version: 2, cost, salt, nonce, additionalData, ciphertext };
}

/**
 * @param {string} text
 * @param {Uint8Array} salt
 */
function bound(text, salt) {
  return joinBytes(new TextEncoder().encode(text), salt);
}
