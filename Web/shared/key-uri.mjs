// @ts-check
import { asciiLowerCase, decodeSecret } from "./encodings.mjs";

/** @import { CodeParameters } from "./otp.mjs" */

/** Why a Key URI can't be used: the part at fault, never its value. */
export class KeyURIError extends Error {
  /** @param {string} part */
  constructor(part) {
    super(part);
    this.name = "KeyURIError";
    this.part = part;
  }
}

const largestCounter = 2n ** 63n - 1n;

/**
 * An account from its Key URI, by the rules for backups in docs/formats/key-uri.md.
 * @param {string} uri
 * @returns {CodeParameters & { issuer: string, account: string }}
 * @throws {KeyURIError}
 */
export function readKeyURI(uri) {
  if (new TextEncoder().encode(uri).length > 65_536) throw new KeyURIError("too long");
  const match = /^([A-Za-z]+):\/\/([^/?#]*)\/?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s.exec(uri);
  if (!match || asciiLowerCase(match[1]) !== "otpauth") throw new KeyURIError("scheme");
  const { parameters, rawIssuer } = readParameters(match[4] ?? "");
  let type = asciiLowerCase(match[2]);
  if (type === "totp" && parameters.get("encoder") === "steam") type = "steam";
  if (type !== "totp" && type !== "hotp" && type !== "steam") throw new KeyURIError("type");
  const secret = decodeSecret(parameters.get("secret") ?? "");
  if (!secret || secret.length === 0) throw new KeyURIError("secret");
  const names = readNames(percentDecode(match[3]), parameters.get("issuer"), rawIssuer);
  if (type === "steam") {
    return { type, ...names, secret, algorithm: "SHA1", digits: 5, period: 30, counter: 0n };
  }
  /** @type {(name: string, absent: bigint, low: bigint, high: bigint) => bigint} */
  const number = (name, absent, low, high) => {
    const text = parameters.get(name);
    if (text === undefined) return absent;
    if (!/^[0-9]{1,19}$/.test(text) || BigInt(text) < low || BigInt(text) > high) throw new KeyURIError(name);
    return BigInt(text);
  };
  const algorithm = readAlgorithm(parameters.get("algorithm") ?? "SHA1");
  const digits = Number(number("digits", 6n, 1n, 10n));
  if (type === "totp") {
    const period = Number(number("period", 30n, 1n, 86_400n));
    return { type, ...names, secret, algorithm, digits, period, counter: 0n };
  }
  if (!parameters.has("counter")) throw new KeyURIError("counter");
  const counter = number("counter", 0n, 0n, largestCounter);
  return { type, ...names, secret, algorithm, digits, period: 30, counter };
}

/** @param {string} text */
function readParameters(text) {
  /** @type {Map<string, string>} */
  const parameters = new Map();
  let rawIssuer = "";
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = percentDecode(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? "" : part.slice(equals + 1);
    if (parameters.has(name)) throw new KeyURIError("duplicate parameter");
    parameters.set(name, percentDecode(value));
    if (name === "issuer") rawIssuer = value;
  }
  return { parameters, rawIssuer };
}

/**
 * @param {string} label
 * @param {string | undefined} issuerParameter
 * @param {string} rawIssuer the parameter before its escapes were read
 */
function readNames(label, issuerParameter, rawIssuer) {
  const colon = label.indexOf(":");
  const inLabel = colon < 0 ? "" : label.slice(0, colon);
  const account = colon < 0 ? label : label.slice(colon + 1).replace(/^ +/, "");
  if (issuerParameter === undefined) return { issuer: inLabel, account };
  // `+` is a plus sign, unless only its reading as a space agrees with the label.
  const spaced = percentDecode(rawIssuer.replaceAll("+", " "));
  return { issuer: inLabel !== "" && inLabel === spaced ? spaced : issuerParameter, account };
}

/**
 * @param {string} text
 * @returns {CodeParameters["algorithm"]}
 */
function readAlgorithm(text) {
  const folded = asciiLowerCase(text).replaceAll("-", "").replace(/^hmac/, "");
  if (folded === "sha1") return "SHA1";
  if (folded === "sha256") return "SHA256";
  if (folded === "sha512") return "SHA512";
  throw new KeyURIError("algorithm");
}

/**
 * Every run of escapes that is valid UTF-8 as a whole decoded; every other `%` as it is.
 * @param {string} text
 */
function percentDecode(text) {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}
