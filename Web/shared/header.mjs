// @ts-check
import { decodeBase64 } from "./encodings.mjs";
import { BackupError } from "./errors.mjs";

/** @import { JSONObject, JSONValue } from "./json.d.ts" */

/**
 * What a header comes down to: how the key is made, what is bound, what is sealed (the tag at its end).
 * @typedef {object} Sealed
 * @property {"authbackup" | "vault2fa"} format
 * @property {number} version
 * @property {{ rounds: number } | { memoryKiB: number, passes: number, lanes: number }} cost
 * @property {Uint8Array<ArrayBuffer>} salt
 * @property {Uint8Array<ArrayBuffer>} nonce
 * @property {Uint8Array<ArrayBuffer>} additionalData
 * @property {Uint8Array<ArrayBuffer>} ciphertext
 */

/** Reads the fields of a header in the order in which a format asks: the first fault is the one that is named. */
export class HeaderReader {
  /**
   * @param {JSONObject} members
   * @param {string} [prefix]
   */
  constructor(members, prefix = "") {
    this.members = members;
    this.prefix = prefix;
  }

  /** @param {string} key */
  has(key) {
    return this.members.has(key);
  }

  /**
   * @template {JSONValue} T
   * @param {string} key
   * @param {(value: JSONValue) => value is T} isRight
   * @returns {T}
   */
  field(key, isRight) {
    const value = this.members.get(key);
    if (value === undefined || !isRight(value)) throw new BackupError("bad-header", this.prefix + key);
    return value;
  }

  /** @param {string} key */
  string(key) {
    return this.field(key, (value) => typeof value === "string");
  }

  /** @param {string} key */
  integer(key) {
    return this.field(key, (value) => typeof value === "bigint");
  }

  /** @param {string} key */
  object(key) {
    return new HeaderReader(this.field(key, (value) => value instanceof Map), `${this.prefix}${key}.`);
  }

  /**
   * @param {string} key
   * @param {{ length?: number, atLeast?: number, lineBreaks?: boolean }} [options]
   */
  binary(key, { length, atLeast = 0, lineBreaks = false } = {}) {
    const bytes = decodeBase64(this.string(key), { lineBreaks });
    if (!bytes || bytes.length < atLeast || (length !== undefined && bytes.length !== length)) {
      throw new BackupError("bad-header", this.prefix + key);
    }
    return bytes;
  }
}
