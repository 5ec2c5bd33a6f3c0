// @ts-check
import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { isSetting, plainText, summaryWords } from "../page/words.mjs";

/** @param {string[]} tags */
const login = (tags) => /** @type {any} */ ({ tags });

test("what the page shows has no sign that turns, hides or breaks it, as on a terminal", () => {
  const source = fs.readFileSync(new URL("../../Sources/SeifBytes/Text/Display.swift", import.meta.url), "utf8");
  const cases = [...source.matchAll(/^ +case (0x.*): true$/gm)].flatMap((match) => (match[1] ?? "").split(", "));
  assert.ok(cases.length > 10);
  for (const range of cases) {
    const [first, last = first] = range.split("...").map(Number);
    for (let scalar = Number(first); scalar <= Number(last); scalar++) {
      const kept = scalar === 0x0a ? "\n" : "\ufffd";
      assert.equal(plainText(`a${String.fromCodePoint(scalar)}b`), `a${kept}b`, scalar.toString(16));
    }
  }
  for (const text of ["ăîșț ÅÄÖ", "العربية", "👩‍👩‍👧", "a\u200bb"]) assert.equal(plainText(text), text);
});

test("settings are told from logins by their tags, and counted apart", () => {
  const source = fs.readFileSync(new URL("../../Sources/SeifRecords/Merge/SettingTag.swift", import.meta.url), "utf8");
  const tags = [...source.matchAll(/static let \w+ = "([a-z-]+)"/g)].map((match) => match[1] ?? "");
  assert.ok(tags.length >= 4);
  for (const tag of tags) assert.ok(isSetting(login(["mine", tag])), tag);
  for (const tag of ["seif", "seif-transports", "a seif-transport", ""]) assert.ok(!isSetting(login([tag])), tag);
  const words = summaryWords(/** @type {any} */ ({
    accounts: [], otherAccounts: [], cards: [], notes: [], exportedAt: "", problems: [],
    passwords: [login([]), login(["seif-transport"]), login(["seif-backup-rule"])],
  }));
  assert.equal(words, "0 codes, 1 login, 0 cards, 0 notes, 2 settings of Seif.");
});
