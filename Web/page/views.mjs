// @ts-check
import { makeCode } from "../shared/otp.mjs";
import { groupedCode, isSetting, plainText } from "./words.mjs";

/** @import { Account, Contents, Login, OtherAccount } from "../shared/body.mjs" */
/** @import { Additions } from "../shared/row.mjs" */
/** @import { CodeParameters } from "../shared/otp.mjs" */

/** @typedef {[label: string, value: string, isSecret: boolean]} Field */

const mask = "••••••";

/**
 * An element with text in it; nothing is ever read as HTML.
 * @param {string} tag
 * @param {{ text?: string, class?: string }} [options]
 * @param {Node[]} children
 */
export function element(tag, options = {}, ...children) {
  const made = document.createElement(tag);
  if (options.class) made.className = options.class;
  if (options.text !== undefined) made.textContent = options.text;
  made.append(...children);
  return made;
}

/**
 * @param {string} text
 * @param {string} label which one of many it is, for those who don't see where it stands
 * @param {() => void} action
 */
function button(text, label, action) {
  const made = /** @type {HTMLButtonElement} */ (element("button", { text }));
  made.type = "button";
  made.setAttribute("aria-label", label);
  made.addEventListener("click", action);
  return made;
}

/** Draws the entries, and keeps what changes with the time. */
export class Entries {
  /**
   * @param {Contents} contents
   * @param {(text: string, name: string) => void} copy
   */
  constructor(contents, copy) {
    this.copy = copy;
    /** @type {((seconds: number) => Promise<void>)[]} */
    this.clocks = [];
    /** @type {{ element: HTMLElement, words: string }[]} */
    this.entries = [];
    /** @type {HTMLElement[]} */
    this.sections = [];
    this.section("Codes", contents.accounts, (account) => this.account(account));
    this.section("Logins", contents.passwords.filter((login) => !isSetting(login)), (login) => this.login(login));
    this.section("Cards", contents.cards, (card) => this.entry(card.name || "Card", card.holder, card, (name) => [
      this.fields([["Number", card.number, true], ["Expires", card.expiry, false], ["Code", card.cvc, true]], name),
    ]));
    this.section("Notes", contents.notes, (note) => this.entry(note.title || "Note", "", note, (name) => [
      this.fields([["Text", note.text, true]], name),
    ]));
    this.section("Codes of other kinds", contents.otherAccounts, (other) => this.other(other));
    this.section("Keys of document vaults", contents.documents, (key) =>
      this.entry(key.server || "Local", key.id, null, (name) => [
        this.fields([["Master key", key.masterKey, true]], name),
      ]));
    this.section("Settings of Seif", contents.passwords.filter(isSetting), (login) => this.setting(login));
  }

  /**
   * What a setting is of, without its passwords and tokens: a person has no use for them, and they would open the place
   * where the other backups are.
   * @param {Login} login
   */
  setting(login) {
    const rows = [
      ...login.urls.map((url) => ["Address", url]),
      ...login.customFields.filter((field) => !field.isSecret).map((field) => [field.name || "Field", field.value]),
    ];
    return this.entry(login.title || "Setting", login.username, null, () => [
      element("p", { class: "muted", text: "Used by Seif alone. This page doesn't show its passwords and tokens." }),
      element("dl", {}, ...rows.map(([label, value]) => element("div", {}, element("dt", { text: plainText(label) }),
        element("dd", { text: plainText(value) })))),
    ]);
  }

  /** @param {Account} account */
  account(account) {
    const { codes, issuer } = account;
    const [title, subtitle] = issuer ? [issuer, account.account] : [account.account || "Code", ""];
    return this.entry(title, subtitle, account, (name) => [this.code(codes, name)]);
  }

  /** @param {Login} login */
  login(login) {
    /** @type {Field[]} */
    const history = login.history.map((old) => [`Until ${old.changedAt.slice(0, 10)}`, old.password, true]);
    return this.entry(login.title || login.urls[0] || "Login", login.username, login, (name) => [
      ...(login.codes ? [this.code(login.codes, name)] : []),
      this.fields([["User name", login.username, false], ["Password", login.password, true], ...history], name),
    ]);
  }

  /** @param {OtherAccount} other */
  other(other) {
    const title = other.issuer || other.account || "Code";
    return this.entry(title, other.issuer ? other.account : "", other, (name) => [
      this.fields([["Kind", other.type, false], ["Secret", other.secret, true], ["PIN", other.pin, true]], name),
    ]);
  }

  /**
   * @template T
   * @param {string} title
   * @param {T[]} list
   * @param {(item: T) => HTMLElement} draw
   */
  section(title, list, draw) {
    if (list.length === 0) return;
    this.sections.push(element("section", {}, element("h2", { text: title }), ...list.map(draw)));
  }

  /**
   * @param {string} title
   * @param {string} subtitle
   * @param {Additions | null} additions
   * @param {(name: string) => HTMLElement[]} parts
   */
  entry(title, subtitle, additions, parts) {
    const shownTitle = plainText(title);
    const name = subtitle ? `${shownTitle}, ${plainText(subtitle)}` : shownTitle;
    const heading = element("h3", {}, element("bdi", { text: (additions?.isFavorite ? "★ " : "") + shownTitle }));
    const made = element("article", { class: "entry" }, heading);
    if (subtitle) made.append(element("p", { class: "muted" }, element("bdi", { text: plainText(subtitle) })));
    made.append(...parts(name));
    if (additions) {
      /** @type {Field[]} */
      const addresses = additions.urls.map((url) => ["Address", url, false]);
      /** @type {Field[]} */
      const own = additions.customFields.map((field) => [field.name || "Field", field.value, field.isSecret]);
      const fields = this.fields([
        ...addresses, ...own, ["Tags", additions.tags.join(", "), false], ["Notes", additions.notes, true],
      ], name);
      if (fields.childElementCount > 0) made.append(fields);
    }
    const words = [title, subtitle, ...(additions?.tags ?? []), ...(additions?.urls ?? [])];
    this.entries.push({ element: made, words: words.join("\n").toLowerCase() });
    return made;
  }

  /**
   * @param {Field[]} rows empty values are left out
   * @param {string} name
   */
  fields(rows, name) {
    const list = element("dl");
    const labels = new Set();
    /** The number that a label's next namesake is tried with: thousands of one name take no longer than others. */
    const numbers = new Map();
    for (const [given, value, isSecret] of rows) {
      if (value === "") continue;
      const base = plainText(given);
      let [label, number] = [base, numbers.get(base) ?? 2];
      for (; labels.has(label); number++) label = `${base} ${number}`;
      labels.add(label);
      numbers.set(base, number);
      const shown = element("dd", { text: isSecret ? mask : plainText(value), class: isSecret ? "secret" : "" });
      const buttons = element("div", { class: "line" });
      if (isSecret) {
        const toggle = button("Show", `Show ${label}, ${name}`, () => {
          const isShown = toggle.textContent === "Hide";
          shown.textContent = isShown ? mask : plainText(value);
          toggle.textContent = isShown ? "Show" : "Hide";
          toggle.setAttribute("aria-label", `${toggle.textContent} ${label}, ${name}`);
        });
        buttons.append(toggle);
      }
      buttons.append(button("Copy", `Copy ${label}, ${name}`, () => this.copy(value, label)));
      list.append(element("div", {}, element("dt", { text: label }), shown, buttons));
    }
    return list;
  }

  /**
   * @param {CodeParameters} codes
   * @param {string} name
   */
  code(codes, name) {
    const shown = element("span", { class: "code", text: mask });
    const left = element("span", { class: "left muted" });
    const line = element("div", { class: "line" }, shown);
    let code = "";
    if (codes.type === "hotp") {
      const next = button("Show next code", `Show next code, ${name}`, async () => {
        ({ code } = await makeCode(codes, 0));
        shown.textContent = groupedCode(code);
        left.textContent = `counter ${codes.counter}, not kept by this page`;
        codes.counter++;
      });
      line.append(left, next);
    } else {
      const bar = /** @type {HTMLProgressElement} */ (element("progress"));
      bar.max = codes.period;
      bar.setAttribute("aria-hidden", "true");
      line.append(bar, left);
      let step = -1;
      this.clocks.push(async (seconds) => {
        const now = Math.floor(seconds / codes.period);
        if (now !== step) {
          ({ code } = await makeCode(codes, seconds));
          step = now;
          shown.textContent = groupedCode(code);
        }
        const secondsLeft = codes.period - (Math.floor(seconds) % codes.period);
        bar.value = secondsLeft;
        left.textContent = `${secondsLeft} s left${secondsLeft <= 5 ? ", soon" : ""}`;
        left.classList.toggle("soon", secondsLeft <= 5);
      });
    }
    line.append(button("Copy", `Copy code, ${name}`, () => { if (code) this.copy(code, "Code"); }));
    return line;
  }

  /**
   * Brings the codes up to a time.
   * @param {number} seconds since 1970
   */
  async tick(seconds) {
    await Promise.all(this.clocks.map((clock) => clock(seconds)));
  }

  /**
   * Shows the entries with these words in their names, and says whether there are any.
   * @param {string} text
   */
  filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    for (const entry of this.entries) entry.element.hidden = !words.every((word) => entry.words.includes(word));
    for (const section of this.sections) section.hidden = !section.querySelector("article:not([hidden])");
    return this.sections.some((section) => !section.hidden);
  }
}
