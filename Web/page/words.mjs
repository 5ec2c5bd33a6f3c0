// @ts-check

/** @import { Contents, Login } from "../shared/body.mjs" */

/**
 * What a person is told, for a `BackupError`.
 * @param {{ code: string, field: string }} error
 */
export function failureWords({ code, field }) {
  switch (code) {
    case "cannot-open":
      return "The passphrase is wrong or the file is damaged; the two can't be told apart. Try again.";
    case "no-memory":
      return "This browser can't give the memory that opening takes. Close other pages, or use a computer.";
    case "cost-refused":
      return `The file asks for too much work or memory to open (${field}). It isn't as Seif wrote it.`;
    case "unsupported-version": return "The backup has a version that this page doesn't know. Try a newer Seif.";
    case "bad-body": return `It opens, but what is inside is no vault (${field}).`;
    default: return `The backup in this file is damaged${field ? ` (${field})` : ""}. Look for another copy of it.`;
  }
}

/**
 * A number with its noun.
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Whether an entry is a setting of Seif's own, such as a place of backups with its credentials: no login to a person.
 * @param {Login} login
 */
export function isSetting(login) {
  return login.tags.some((tag) => /^seif-(server|(transport|backup-rule)(-imported)?)$/.test(tag));
}

/**
 * What is in it, in one sentence.
 * @param {Contents} contents
 */
export function summaryWords(contents) {
  const { accounts, passwords, cards, notes, otherAccounts, exportedAt, problems } = contents;
  const settings = passwords.filter(isSetting).length;
  const counts = [
    counted(accounts.length + otherAccounts.length, "code"), counted(passwords.length - settings, "login"),
    counted(cards.length, "card"), counted(notes.length, "note"),
    ...(settings > 0 ? [counted(settings, "setting") + " of Seif"] : []),
  ].join(", ");
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(exportedAt);
  const time = isTime ? `, made ${exportedAt.slice(0, 16).replace("T", " ")} UTC` : "";
  const unusable = problems.length === 0 ? "" :
    ` ${counted(problems.length, "thing")} in it can't be used: ${problems.map(place).slice(0, 20).join(", ")}.`;
  return `${counts}${time}.${unusable}`;
}

/** @param {{ list: string, index?: number, field?: string }} problem */
function place({ list, index, field }) {
  return list + (index === undefined ? "" : ` ${index + 1}`) + (field === undefined ? "" : ` (${field})`);
}

// As on a terminal, but for the line feed.
const harmful = new RegExp(
  "[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069" +
  "\\ufeff\\ufff9-\\ufffb\\u{e0001}\\u{e0020}-\\u{e007e}]", "gu");

/**
 * A text without what could disguise it: control characters, those that turn the direction of writing, and those that
 * end a line or aren't seen. A line feed stays, for notes.
 * @param {string} text
 */
export function plainText(text) {
  return text.replace(harmful, "\ufffd");
}

/**
 * A code in two groups, as people read it.
 * @param {string} code
 */
export function groupedCode(code) {
  if (code.length < 6) return code;
  const half = Math.ceil(code.length / 2);
  return `${code.slice(0, half)} ${code.slice(half)}`;
}
