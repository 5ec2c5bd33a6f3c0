// @ts-check
import { BackupError } from "./errors.mjs";

/** @import { JSONObject, JSONValue } from "./json.d.ts" */

/** A number that isn't an integer token of at most 20 characters: of no use to any format. */
export class OtherNumber {
  isOtherNumber = true;
}

const maximumDepth = 32;
const numberToken = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const unescapedText = /[^"\\\u0000-\u001f]*/y;
const escapes = new Map(Object.entries({
  '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t",
}));

/**
 * The one value in these bytes: RFC 8259, UTF-8 without a byte order mark, no key twice in an object, no half of a
 * surrogate pair, at most 32 levels.
 * @param {Uint8Array} bytes
 * @returns {JSONValue}
 * @throws {BackupError} `unreadable`
 */
export function parseJSON(bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BackupError("unreadable", "UTF-8");
  }
  const parser = new JSONParser(text);
  const value = parser.value(0);
  parser.end();
  return value;
}

class JSONParser {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** @returns {never} */
  fail() {
    throw new BackupError("unreadable", "JSON");
  }

  space() {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  end() {
    this.space();
    if (this.at !== this.text.length) this.fail();
  }

  /** @param {string} word */
  word(word) {
    if (!this.text.startsWith(word, this.at)) this.fail();
    this.at += word.length;
  }

  /**
   * @param {number} depth
   * @returns {JSONValue}
   */
  value(depth) {
    this.space();
    switch (this.text[this.at]) {
      case "{": return this.object(depth + 1);
      case "[": return this.array(depth + 1);
      case '"': return this.string();
      case "t": this.word("true"); return true;
      case "f": this.word("false"); return false;
      case "n": this.word("null"); return null;
      default: return this.number();
    }
  }

  /** @param {number} depth */
  object(depth) {
    if (depth > maximumDepth) this.fail();
    /** @type {JSONObject} */
    const members = new Map();
    this.at++;
    this.space();
    if (this.take("}")) return members;
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') this.fail();
      const key = this.string();
      if (members.has(key)) this.fail();
      this.space();
      this.word(":");
      members.set(key, this.value(depth));
      this.space();
      if (this.take("}")) return members;
      this.word(",");
    }
  }

  /** @param {number} depth */
  array(depth) {
    if (depth > maximumDepth) this.fail();
    /** @type {JSONValue[]} */
    const elements = [];
    this.at++;
    this.space();
    if (this.take("]")) return elements;
    for (;;) {
      elements.push(this.value(depth));
      this.space();
      if (this.take("]")) return elements;
      this.word(",");
    }
  }

  /** @param {string} character */
  take(character) {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  string() {
    let result = "";
    this.at++;
    for (;;) {
      unescapedText.lastIndex = this.at;
      unescapedText.exec(this.text);
      result += this.text.slice(this.at, unescapedText.lastIndex);
      this.at = unescapedText.lastIndex;
      if (this.take('"')) break;
      if (!this.take("\\")) this.fail();
      result += this.escape();
    }
    // Read by characters, this finds halves of pairs alone.
    if (/[\ud800-\udfff]/u.test(result)) this.fail();
    return result;
  }

  escape() {
    const letter = this.text[this.at++];
    const plain = escapes.get(letter);
    if (plain !== undefined) return plain;
    const digits = this.text.slice(this.at, this.at + 4);
    if (letter !== "u" || !/^[0-9A-Fa-f]{4}$/.test(digits)) this.fail();
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }

  number() {
    numberToken.lastIndex = this.at;
    const match = numberToken.exec(this.text);
    if (!match) this.fail();
    this.at = numberToken.lastIndex;
    const token = match[0];
    const isInteger = match[1] === undefined && match[2] === undefined && token !== "-0" && token.length <= 20;
    return isInteger ? BigInt(token) : new OtherNumber();
  }
}
