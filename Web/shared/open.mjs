// @ts-check
import { readAuthBackup } from "./authbackup.mjs";
import { readBody } from "./body.mjs";
import { maximumFileByteCount } from "./costs.mjs";
import { BackupError } from "./errors.mjs";
import { HeaderReader } from "./header.mjs";
import { parseJSON } from "./strict-json.mjs";
import { readVault2FA } from "./vault2fa.mjs";

/** @import { Argon2idInput } from "./argon2id.mjs" */
/** @import { Contents } from "./body.mjs" */
/** @import { Sealed } from "./header.mjs" */
/** @typedef {(input: Argon2idInput) => Promise<Uint8Array<ArrayBuffer>>} Argon2id */

const readers = new Map([["authbackup", readAuthBackup], ["vault2fa-backup", readVault2FA]]);

/**
 * What a file's outside says, all of it decided before anything is derived.
 * @param {Uint8Array} file
 * @param {string} [meant] the one format to take, by its name in files; else whichever the file says
 * @returns {Sealed}
 * @throws {BackupError} `unreadable` to `cost-refused`
 */
export function readHeader(file, meant) {
  if (file.length > maximumFileByteCount) throw new BackupError("unreadable", "size");
  const root = parseJSON(file);
  const format = root instanceof Map ? root.get("format") : undefined;
  const read = typeof format === "string" ? readers.get(format) : undefined;
  if (!(root instanceof Map) || !read || (meant !== undefined && format !== meant)) {
    throw new BackupError("other-format");
  }
  return read(new HeaderReader(root));
}

/**
 * The key under exactly these bytes.
 * @param {Sealed} sealed
 * @param {Uint8Array<ArrayBuffer>} passphrase
 * @param {Argon2id} argon2id
 */
export async function deriveKey({ cost, salt }, passphrase, argon2id) {
  if (!("rounds" in cost)) return argon2id({ password: passphrase, salt, ...cost });
  const key = await crypto.subtle.importKey("raw", passphrase, "PBKDF2", false, ["deriveBits"]);
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt, iterations: cost.rounds };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256));
}

/**
 * The sealed body under a key.
 * @param {Sealed} sealed
 * @param {Uint8Array<ArrayBuffer>} rawKey wiped here
 * @throws {BackupError} `cannot-open`
 */
export async function openSealed({ nonce, additionalData, ciphertext }, rawKey) {
  const key = await crypto.subtle.importKey("raw", rawKey, "AES-GCM", false, ["decrypt"]);
  rawKey.fill(0);
  try {
    const parameters = { name: "AES-GCM", iv: nonce, additionalData, tagLength: 128 };
    return new Uint8Array(await crypto.subtle.decrypt(parameters, key, ciphertext));
  } catch {
    throw new BackupError("cannot-open");
  }
}

/**
 * The contents of a file, trying the passphrase as it was typed, then its NFC, then its NFD form, each where it
 * differs.
 * @param {Sealed} sealed from `readHeader`
 * @param {string} passphrase
 * @param {Argon2id} argon2id
 * @returns {Promise<Contents>}
 * @throws {BackupError} `cannot-open`, `bad-body`, `no-memory`
 */
export async function openBackup(sealed, passphrase, argon2id) {
  const forms = new Set([passphrase, passphrase.normalize("NFC"), passphrase.normalize("NFD")]);
  for (const form of forms) {
    const key = await deriveKey(sealed, new TextEncoder().encode(form), argon2id);
    try {
      return readBody(await openSealed(sealed, key), sealed.format);
    } catch (error) {
      if (!(error instanceof BackupError) || error.code !== "cannot-open") throw error;
    }
  }
  throw new BackupError("cannot-open");
}
