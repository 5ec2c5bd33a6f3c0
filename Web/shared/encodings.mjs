// @ts-check

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64Values = new Int16Array(128).fill(-1);
for (let index = 0; index < 64; index++) base64Values[base64Alphabet.charCodeAt(index)] = index;

/**
 * The bytes of a base64 text: standard alphabet, padded, zero in the spare bits, so that one text has one value. Null:
 * it isn't.
 * @param {string} text
 * @param {{ lineBreaks?: boolean }} [options] whether carriage returns and line feeds are skipped
 * @returns {Uint8Array<ArrayBuffer> | null}
 */
export function decodeBase64(text, { lineBreaks = false } = {}) {
  const source = lineBreaks ? text.replace(/[\r\n]/g, "") : text;
  if (source.length % 4 !== 0) return null;
  const padding = source.endsWith("==") ? 2 : source.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((source.length / 4) * 3 - padding);
  let [bits, have, at] = [0, 0, 0];
  for (let index = 0; index < source.length - padding; index++) {
    const code = source.charCodeAt(index);
    const value = code < 128 ? base64Values[code] : -1;
    if (value < 0) return null;
    bits = (bits << 6) | value;
    have += 6;
    if (have >= 8) {
      have -= 8;
      bytes[at++] = bits >> have;
      bits &= (1 << have) - 1;
    }
  }
  return bits === 0 ? bytes : null;
}

const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * The bytes of a secret as people and programs write it: ASCII case folded; spaces, tabs, line ends, no-break spaces,
 * dashes and `=` skipped; bits that fill no byte dropped. Null: another character.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer> | null}
 */
export function decodeSecret(text) {
  const bytes = new Uint8Array(Math.ceil((text.length * 5) / 8));
  let [bits, have, at] = [0, 0, 0];
  for (const character of text) {
    if (" \t\r\n\u00a0-=".includes(character)) continue;
    const upper = character >= "a" && character <= "z" ? character.toUpperCase() : character;
    const value = base32Alphabet.indexOf(upper);
    if (value < 0) return null;
    bits = (bits << 5) | value;
    have += 5;
    if (have >= 8) {
      have -= 8;
      bytes[at++] = bits >> have;
      bits &= (1 << have) - 1;
    }
  }
  return bytes.slice(0, at);
}

/**
 * The bytes of all parts, one after the other.
 * @param {Uint8Array[]} parts
 */
export function joinBytes(...parts) {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/**
 * A text with ASCII letters in lower case and nothing else changed: `toLowerCase` would map the Kelvin sign to k.
 * @param {string} text
 */
export function asciiLowerCase(text) {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
