// @ts-check
import { decodeBase64, decodeSecret } from "./encodings.mjs";
import { KeyURIError, readKeyURI } from "./key-uri.mjs";
import { UnusableEntry } from "./row.mjs";

/** @import { JSONValue } from "./json.d.ts" */
/** @import { CodeParameters } from "./otp.mjs" */
/** @import { Row } from "./row.mjs" */
/** @import { Account, Card, DocumentKey, Login, Note, OtherAccount } from "./body.mjs" */

const uuid = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

/**
 * @param {Row} row
 * @returns {Account}
 */
export function readAccount(row) {
  const [issuer, account] = [row.text("issuer"), row.text("account")];
  const algorithm = row.text("algorithm", "SHA1");
  const [digits, period] = [row.integer("digits", 6n), row.integer("period", 30n)];
  const counter = row.integer("counter", 0n);
  const additions = row.additions();
  const type = row.get("type");
  if (type !== "totp" && type !== "hotp" && type !== "steam") throw new UnusableEntry("unknown-type");
  const secret = decodeSecret(row.required("secret", "no-secret"));
  if (!secret) throw new UnusableEntry("bad-secret");
  if (secret.length === 0) throw new UnusableEntry("no-secret");
  if (type === "steam") {
    return {
      issuer, account, codes: { type, secret, algorithm: "SHA1", digits: 5, period: 30, counter: 0n }, ...additions,
    };
  }
  if (algorithm !== "SHA1" && algorithm !== "SHA256" && algorithm !== "SHA512") {
    throw new UnusableEntry("unknown-algorithm");
  }
  if (digits < 1n || digits > 10n) throw new UnusableEntry("bad-digits");
  if (type === "totp" && (period < 1n || period > 86_400n)) throw new UnusableEntry("bad-period");
  if (type === "hotp" && (counter < 0n || counter >= 2n ** 63n)) throw new UnusableEntry("bad-counter");
  return {
    issuer, account, codes: { type, secret, algorithm, digits: Number(digits), period: Number(period), counter },
    ...additions,
  };
}

/**
 * @param {Row} row
 * @returns {Login}
 */
export function readLogin(row) {
  const password = row.required("password", "no-password");
  const [title, username] = [row.text("title"), row.text("username")];
  row.text("updatedAt");
  const additions = row.additions();
  const history = row.addition("history", [], readHistory);
  const uri = row.addition("totp", "", (value) => typeof value === "string" ? value : null);
  return { title, username, password, history, codes: uri === "" ? null : loginCodes(row, uri), ...additions };
}

/**
 * @param {Row} row
 * @param {string} uri
 * @returns {CodeParameters | null}
 */
function loginCodes(row, uri) {
  try {
    return readURI(uri);
  } catch (error) {
    if (!(error instanceof UnusableEntry)) throw error;
    row.faults.push({ field: "totp", reason: error.reason });
    return null;
  }
}

/**
 * An account from its Key URI, as an entry of a list.
 * @param {string} uri
 */
export function readURI(uri) {
  try {
    return readKeyURI(uri);
  } catch (error) {
    if (!(error instanceof KeyURIError)) throw error;
    throw new UnusableEntry(`bad-uri:${error.part}`);
  }
}

/** @param {JSONValue} value */
function readHistory(value) {
  if (!Array.isArray(value)) return null;
  const history = [];
  for (const item of value) {
    const [password, changedAt] = item instanceof Map ? [item.get("password"), item.get("changedAt")] : [];
    if (typeof password !== "string" || (changedAt !== undefined && typeof changedAt !== "string")) return null;
    history.push({ password, changedAt: changedAt ?? "" });
  }
  return history;
}

/**
 * @param {Row} row
 * @returns {Card}
 */
export function readCard(row) {
  const number = row.required("number", "no-number");
  const cvc = row.get("cvc") === null ? "" : row.text("cvc");
  return {
    number, cvc, name: row.text("name"), holder: row.text("holder"), expiry: row.text("expiry"), ...row.additions(),
  };
}

/**
 * @param {Row} row
 * @returns {Note}
 */
export function readNote(row) {
  const text = row.required("text", "no-text");
  row.text("updatedAt");
  return { text, title: row.text("title"), ...row.additions() };
}

/**
 * Accounts of kinds whose codes aren't computed here: their secrets are shown, so that another program can.
 * @param {Row} row
 * @returns {OtherAccount}
 */
export function readOtherAccount(row) {
  const type = row.required("type", "no-type");
  if (type === "") throw new UnusableEntry("no-type");
  if (type === "totp" || type === "hotp" || type === "steam") throw new UnusableEntry("wrong-list");
  const [issuer, account, secret, pin] = [row.text("issuer"), row.text("account"), row.text("secret"), row.text("pin")];
  row.text("algorithm");
  for (const key of ["digits", "period", "counter"]) row.integer(key, 0n);
  const additions = row.additions();
  if (type === "motp" || type === "yandex") {
    const bytes = decodeSecret(secret);
    if (!bytes) throw new UnusableEntry("bad-secret");
    if (bytes.length === 0) throw new UnusableEntry("no-secret");
  }
  return { type, issuer, account, secret, pin, ...additions };
}

/**
 * @param {Row} row
 * @returns {DocumentKey}
 */
export function readDocument(row) {
  const [id, kind, key] = [row.get("id"), row.get("kind"), row.get("masterKey")];
  if (typeof id !== "string" || !uuid.test(id)) throw new UnusableEntry("no-id");
  if (kind !== "local" && kind !== "server") throw new UnusableEntry("unknown-kind");
  if (!isBase64(key, 32)) throw new UnusableEntry("bad-master-key");
  const server = kind === "server" ? row.required("server", "no-server") : row.text("server");
  if (kind === "server" && server === "") throw new UnusableEntry("no-server");
  row.text("account");
  readWraps(row);
  return { id, kind, server, masterKey: /** @type {string} */ (key) };
}

/** @param {Row} row */
function readWraps(row) {
  const wraps = row.get("wraps");
  if (wraps === undefined) return;
  if (!Array.isArray(wraps)) {
    row.faults.push({ field: "wraps", reason: "wrong-type" });
    return;
  }
  wraps.forEach((wrap, index) => {
    if (!isWrap(wrap)) row.faults.push({ field: "wraps", reason: `bad-wrap:${index}` });
  });
}

/** @param {JSONValue} wrap */
function isWrap(wrap) {
  if (!(wrap instanceof Map)) return false;
  const [id, kind] = [wrap.get("id"), wrap.get("kind")];
  if (typeof id !== "string" || !uuid.test(id) || typeof kind !== "string") return false;
  if (kind !== "recovery" && kind !== "passkey") return true;
  if (!isBase64(wrap.get("wrappedKey"), 60)) return false;
  const createdAt = wrap.get("createdAt");
  if (createdAt !== undefined && typeof createdAt !== "string") return false;
  if (kind === "recovery") return isBase64(wrap.get("salt"), 16) && wrap.get("iterations") === 600_000n;
  const credential = wrap.get("credentialId");
  return typeof credential === "string" && /^[A-Za-z0-9_-]+$/.test(credential);
}

/**
 * @param {JSONValue | undefined} value
 * @param {number} length
 */
function isBase64(value, length) {
  return typeof value === "string" && decodeBase64(value)?.length === length;
}
