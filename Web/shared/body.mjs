// @ts-check
import {
  readAccount, readCard, readDocument, readLogin, readNote, readOtherAccount, readURI,
} from "./entries.mjs";
import { BackupError } from "./errors.mjs";
import { Row, UnusableEntry } from "./row.mjs";
import { parseJSON } from "./strict-json.mjs";

/** @import { JSONObject, JSONValue } from "./json.d.ts" */
/** @import { CodeParameters } from "./otp.mjs" */
/** @import { Additions } from "./row.mjs" */

/**
 * An entry, or a part of one, that can't be used.
 * @typedef {{ list: string, index?: number, field?: string, reason: string }} Problem
 */
/** @typedef {{ issuer: string, account: string, codes: CodeParameters } & Additions} Account */
/**
 * @typedef {{ title: string, username: string, password: string, codes: CodeParameters | null,
 *   history: { password: string, changedAt: string }[] } & Additions} Login
 */
/** @typedef {{ name: string, number: string, expiry: string, holder: string, cvc: string } & Additions} Card */
/** @typedef {{ title: string, text: string } & Additions} Note */
/**
 * @typedef {{ type: string, issuer: string, account: string, secret: string, pin: string } & Additions} OtherAccount
 */
/** @typedef {{ id: string, kind: string, server: string, masterKey: string }} DocumentKey */
/**
 * What a backup holds. `counts` has each list's length, what can't be used included.
 * @typedef {object} Contents
 * @property {string} exportedAt empty: unknown
 * @property {Account[]} accounts
 * @property {Login[]} passwords
 * @property {Card[]} cards
 * @property {Note[]} notes
 * @property {OtherAccount[]} otherAccounts
 * @property {DocumentKey[]} documents
 * @property {Record<string, number>} counts
 * @property {Problem[]} problems
 */

/**
 * The contents of an opened backup of a format.
 * @param {Uint8Array} plaintext
 * @param {"authbackup" | "vault2fa"} format
 * @returns {Contents}
 * @throws {BackupError} `bad-body`
 */
export function readBody(plaintext, format) {
  let root;
  try {
    root = parseJSON(plaintext);
  } catch {
    throw new BackupError("bad-body", "JSON");
  }
  if (!(root instanceof Map)) throw new BackupError("bad-body", "object");
  /** @type {Contents} */
  const contents = {
    exportedAt: "", accounts: [], passwords: [], cards: [], notes: [], otherAccounts: [], documents: [], counts: {},
    problems: [],
  };
  if (format === "vault2fa") readVault2FABody(root, contents);
  else readAuthBackupBody(root, contents);
  return contents;
}

/** @type {(root: JSONObject, contents: Contents) => void} */
function readAuthBackupBody(root, contents) {
  const version = root.get("version");
  if (version !== 1n && version !== 2n) throw new BackupError("bad-body", "version");
  contents.exportedAt = textOf(root.get("exportedAt"));
  const { accounts, passwords, cards, documents, notes, otherAccounts } = contents;
  if (!root.has("accounts")) throw new BackupError("bad-body", "accounts");
  readList(root, "accounts", true, contents, (row) => accounts.push(readAccount(row)));
  readList(root, "passwords", true, contents, (row) => passwords.push(readLogin(row)));
  readList(root, "cards", true, contents, (row) => cards.push(readCard(row)));
  readList(root, "documents", false, contents, (row) => documents.push(readDocument(row)));
  readList(root, "notes", false, contents, (row) => notes.push(readNote(row)));
  readList(root, "otherAccounts", false, contents, (row) => otherAccounts.push(readOtherAccount(row)));
  if (root.has("seif")) contents.problems.push(...linkProblems(root.get("seif")));
}

/**
 * What is wrong with a body's place in its chain of backups.
 * @param {JSONValue | undefined} value
 * @returns {Problem[]}
 */
function linkProblems(value) {
  if (!(value instanceof Map)) return [{ list: "seif", reason: "not-an-object" }];
  const [previous, sequence, vault] = [value.get("previous"), value.get("sequence"), value.get("vault")];
  const isRight = {
    previous: typeof previous === "string" && /^[0-9a-f]{64}$/.test(previous),
    sequence: typeof sequence === "bigint" && sequence >= 1n && sequence < 2n ** 63n,
    vault: typeof vault === "string" && /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/.test(vault),
  };
  return Object.entries(isRight).filter(([, right]) => !right)
    .map(([field]) => ({ list: "seif", field, reason: value.has(field) ? "wrong-type" : "missing" }));
}

/** @type {(root: JSONObject, contents: Contents) => void} */
function readVault2FABody(root, contents) {
  contents.exportedAt = textOf(root.get("exported"));
  if (!root.has("accounts")) throw new BackupError("bad-body", "accounts");
  readList(root, "accounts", true, contents, (row) => {
    const uri = row.required("uri", "no-uri");
    const { issuer, account, ...codes } = readURI(uri);
    contents.accounts.push({ issuer, account, codes, ...row.additions() });
  });
}

/** @param {JSONValue | undefined} value */
function textOf(value) {
  return typeof value === "string" ? value : "";
}

/**
 * @param {JSONObject} root
 * @param {string} name
 * @param {boolean} refuses whether a list that is none refuses the body
 * @param {Contents} contents
 * @param {(row: Row) => void} read throws the reason why the entry can't be used
 */
function readList(root, name, refuses, contents, read) {
  const list = root.get(name);
  if (list === undefined) return;
  if (!Array.isArray(list)) {
    if (refuses) throw new BackupError("bad-body", name);
    contents.problems.push({ list: name, reason: "not-a-list" });
    return;
  }
  contents.counts[name] = list.length;
  list.forEach((value, index) => {
    try {
      const row = new Row(value);
      read(row);
      for (const fault of row.faults) contents.problems.push({ list: name, index, ...fault });
    } catch (error) {
      if (!(error instanceof UnusableEntry)) throw error;
      contents.problems.push({ list: name, index, reason: error.reason });
    }
  });
}
