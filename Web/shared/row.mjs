// @ts-check

/** @import { JSONValue } from "./json.d.ts" */

/**
 * What entries of every kind can have besides.
 * @typedef {object} Additions
 * @property {string} notes
 * @property {boolean} isFavorite
 * @property {string[]} tags
 * @property {string[]} urls
 * @property {{ name: string, value: string, isSecret: boolean }[]} customFields
 */

/** Thrown for an entry that can't be used; the reason is one of Tests/Vectors. */
export class UnusableEntry extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason);
    this.name = "UnusableEntry";
    this.reason = reason;
  }
}

/** One entry of a list. Its faults in fields that can be done without are gathered. */
export class Row {
  /** @param {JSONValue} value */
  constructor(value) {
    if (!(value instanceof Map)) throw new UnusableEntry("not-an-object");
    this.members = value;
    /** @type {{ field: string, reason: string }[]} */
    this.faults = [];
  }

  /** @param {string} key */
  get(key) {
    return this.members.get(key);
  }

  /**
   * @param {string} key
   * @param {string} reason why the entry can't be used without it
   */
  required(key, reason) {
    const value = this.members.get(key);
    if (typeof value !== "string") throw new UnusableEntry(reason);
    return value;
  }

  /**
   * @param {string} key
   * @param {string} [absent]
   */
  text(key, absent = "") {
    const value = this.members.get(key);
    if (value === undefined) return absent;
    if (typeof value !== "string") throw new UnusableEntry(`wrong-type:${key}`);
    return value;
  }

  /**
   * @param {string} key
   * @param {bigint} absent
   */
  integer(key, absent) {
    const value = this.members.get(key);
    if (value === undefined) return absent;
    if (typeof value !== "bigint") throw new UnusableEntry(`wrong-type:${key}`);
    return value;
  }

  /** @param {string} key */
  boolean(key) {
    const value = this.members.get(key);
    if (value === undefined) return false;
    if (typeof value !== "boolean") throw new UnusableEntry(`wrong-type:${key}`);
    return value;
  }

  /**
   * A field of Seif's additions: a malformed one is reported, and the entry is used without it.
   * @template T
   * @param {string} key
   * @param {T} absent
   * @param {(value: JSONValue) => T | null} read null: malformed
   */
  addition(key, absent, read) {
    const value = this.members.get(key);
    if (value === undefined) return absent;
    const result = read(value);
    if (result !== null) return result;
    this.faults.push({ field: key, reason: "wrong-type" });
    return absent;
  }

  /**
   * What entries of every kind have; types of the common keys are checked too.
   * @returns {Additions}
   */
  additions() {
    for (const key of ["id", "createdAt"]) this.text(key);
    this.integer("sortIndex", 0n);
    const [notes, isFavorite] = [this.text("notes"), this.boolean("isFavorite")];
    const customFields = this.addition("customFields", [], readCustomFields);
    this.addition("exactHost", false, (value) => typeof value === "boolean" ? value : null);
    return {
      notes, isFavorite, customFields, tags: this.addition("tags", [], strings),
      urls: this.addition("urls", [], strings),
    };
  }
}

/**
 * The texts of a list, or null for something else.
 * @param {JSONValue} value
 * @returns {string[] | null}
 */
function strings(value) {
  if (!Array.isArray(value)) return null;
  const texts = value.filter((item) => typeof item === "string");
  return texts.length === value.length ? texts : null;
}

/** @param {JSONValue} value */
function readCustomFields(value) {
  if (!Array.isArray(value)) return null;
  const fields = [];
  for (const item of value) {
    if (!(item instanceof Map)) return null;
    const [name, text, isSecret] = [item.get("name") ?? "", item.get("value"), item.get("isSecret") ?? false];
    if (typeof name !== "string" || typeof text !== "string" || typeof isSecret !== "boolean") return null;
    if (item.get("name") === null || item.get("isSecret") === null) return null;
    fields.push({ name, value: text, isSecret });
  }
  return fields;
}
