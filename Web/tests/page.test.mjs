// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test, { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pictures = path.join(root, "build/page");
const moment = 1_789_038_058;
const passphrase = "plum ladder quartz 19 rivér";
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "seif-page-"));

/** @type {Browser} */
let browser;
/** @type {string} */
let file;

/**
 * Seif's program on a vault in a folder of its own.
 * @param {string[]} words
 */
function seif(...words) {
  const program = process.env.SEIF_BINARY ?? path.join(root, "build/seif");
  const env = { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder, SEIF_VAULT: path.join(folder, "vault") };
  return execFileSync(program, words, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** What Seif says is in the file. */
function read() {
  const own = path.join(folder, "own");
  return JSON.parse(seif("open", file, "--json", "--reveal", "--at", String(moment), "--passphrase-file", own));
}

/**
 * @param {string} name
 * @param {string} text
 */
function put(name, text) {
  fs.writeFileSync(path.join(folder, name), text, { mode: 0o600 });
  return path.join(folder, name);
}

before(async () => {
  const [own, vault] = [put("own", passphrase), put("vault-passphrase", "umbrella forest copper 7 window")];
  fs.mkdirSync(path.join(folder, "backups"));
  const sample = path.join(root, "Examples/phone");
  const sampleSecret = put("sample", fs.readFileSync(`${sample}.passphrase.txt`, "utf8"));
  seif("init", "--passphrase-file", vault, "--recovery-sheet", path.join(folder, "sheet"), "--unlock-ms", "500");
  seif("import", `${sample}.authbackup`, "--passphrase-file", sampleSecret, "--vault-passphrase-file", vault);
  seif("backup", "create", "--self-opening", "--destination", path.join(folder, "backups"), "--passphrase-file", vault,
    "--new-passphrase-file", own);
  const names = fs.readdirSync(path.join(folder, "backups"));
  assert.equal(names.length, 1);
  assert.match(names[0], /^seif-backup-.*\.html$/);
  file = path.join(folder, "backups", names[0]);
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

/**
 * @param {string} name
 * @param {string} [scheme]
 */
async function load(name, scheme = "light") {
  browser.events = [];
  const tab = await browser.tab();
  await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: `Date.now = () => ${moment * 1000};` });
  await tab.send("Page.navigate", { url: pathToFileURL(name).href });
  await tab.until(`document.readyState === "complete" && location.protocol === "file:"`);
  return tab;
}

/**
 * @param {Awaited<ReturnType<typeof load>>} tab
 * @param {string} typed
 */
async function type(tab, typed) {
  await tab.value(`document.getElementById("passphrase").focus()`);
  await tab.send("Input.insertText", { text: typed });
  await tab.value(`document.getElementById("open").click()`);
}

/** @param {string} words */
const says = (words) => `document.getElementById("failure").textContent.includes(${JSON.stringify(words)})`;
const shown = `document.getElementById("opened").hidden === false`;

test("the page opens what Seif made, shows its codes, and asks nobody for anything", async () => {
  const tab = await load(file);
  await tab.screenshot(path.join(pictures, "locked.png"));
  await type(tab, passphrase.normalize("NFD") + "x");
  await tab.until(says("The passphrase is wrong or the file is damaged"));
  assert.equal(await tab.value(shown), false);
  await tab.value(`document.getElementById("passphrase").value = ""`);
  await type(tab, passphrase.normalize("NFD"));
  await tab.until(shown);
  const opened = read();
  const texts = await tab.value(`[...document.querySelectorAll(".code")].map((code) => code.textContent)`);
  const codes = texts.map((/** @type {string} */ text) => text.replace(" ", ""));
  const expected = opened.accounts.filter((/** @type {any} */ account) => account.type !== "hotp")
    .map((/** @type {any} */ account) => account.code);
  assert.ok(expected.length > 2);
  for (const code of expected) assert.ok(codes.includes(code), `${code} in ${codes}`);
  await tab.screenshot(path.join(pictures, "opened.png"));
  assert.equal(await tab.value(`fetch("https://example.com/").then(() => "sent", () => "refused")`), "refused");
  browser.events = browser.events.filter((event) => !/example\.com/.test(JSON.stringify(event)));
  assert.deepEqual(tab.complaints(), []);
  assert.deepEqual(tab.requests(), [pathToFileURL(file).href]);
});

test("secrets are masked until asked for, and gone once it is locked", async () => {
  const tab = await load(file, "dark");
  await type(tab, passphrase);
  await tab.until(shown);
  const opened = read();
  const { password, title } = opened.passwords[0];
  const text = "document.documentElement.outerHTML";
  assert.ok((await tab.value(text)).includes(title));
  assert.ok(!(await tab.value("document.body.innerText")).includes(password));
  assert.ok(!(await tab.value(text)).includes(password));
  await tab.value(`document.querySelector('button[aria-label^="Show Password"]').click()`);
  assert.ok((await tab.value("document.body.innerText")).includes(password));
  await tab.screenshot(path.join(pictures, "dark.png"));
  await tab.value(`const find = document.getElementById("filter"); find.value = "no such name";
    find.dispatchEvent(new Event("input"))`);
  assert.equal(await tab.value(`document.getElementById("nothing").hidden`), false);
  await tab.value(`window.before = true; document.getElementById("lock").click()`);
  await tab.until(`!window.before && document.getElementById("opening")?.hidden === false`);
  const after = await tab.value(text);
  for (const gone of [password, title]) assert.ok(!after.includes(gone));
  assert.equal(await tab.value(`document.getElementById("passphrase").value`), "");
  assert.deepEqual(tab.complaints(), []);
});

test("every control has a name", async () => {
  const tab = await load(file);
  await type(tab, passphrase);
  await tab.until(shown);
  const { nodes } = await tab.send("Accessibility.getFullAXTree");
  const roles = ["button", "textbox", "searchbox"];
  const controls = nodes.filter((/** @type {any} */ node) => roles.includes(node.role?.value));
  assert.ok(controls.length > 10);
  const names = controls.map((/** @type {any} */ node) => node.name?.value ?? "");
  assert.ok(names.every((/** @type {string} */ name) => name !== ""), JSON.stringify(names));
  /** @type {string[]} */
  const copies = names.filter((/** @type {string} */ name) => name.startsWith("Copy"));
  assert.deepEqual(copies.filter((name, index) => copies.indexOf(name) !== index), []);
});

test("a page whose backup was changed says so, before it asks where that can be known", async () => {
  const text = fs.readFileSync(file, "utf8");
  /** @type {(name: string, from: RegExp, to: string) => Promise<Awaited<ReturnType<typeof load>>>} */
  const changed = async (name, from, to) => {
    const content = text.replace(from, to);
    assert.notEqual(content, text);
    return load(put(name, content));
  };
  const known = [
    [/"memoryKiB": 65536/, '"memoryKiB": 99999999'], [/"nonce": "./, '"nonce": "!'], [/"version": 2/, '"version": 3'],
  ];
  for (const [index, [from, to]] of known.entries()) {
    const tab = await changed(`known-${index}.html`, /** @type {RegExp} */ (from), /** @type {string} */ (to));
    await tab.until(`document.getElementById("failure").textContent !== ""`);
    assert.equal(await tab.value(`document.getElementById("opening").hidden`), true);
  }
  const tab = await changed("cut.html", /"ciphertext": ".{8}/, '"ciphertext": "');
  await type(tab, passphrase);
  await tab.until(says("the two can't be told apart"));
  assert.equal(await tab.value(shown), false);
});

test("the opener in Python opens what Seif made", () => {
  const python = process.env.SEIF_PYTHON ?? path.join(root, "build/venv/bin/python3");
  const body = JSON.parse(execFileSync(python, [path.join(root, "docs/openers/authbackup_v2.py"), file], {
    input: `${passphrase}\n`, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"],
  }));
  assert.equal(body.version, 2);
  assert.ok(body.accounts.length > 3);
});

test("without scripts the page tells the other ways", async () => {
  browser.events = [];
  const tab = await browser.tab();
  await tab.send("Emulation.setScriptExecutionDisabled", { value: true });
  await tab.send("Page.navigate", { url: pathToFileURL(file).href });
  const text = fs.readFileSync(file, "utf8");
  for (const words of ["seif open", "python3 authbackup_v2.py", "authbackup:2:argon2id:"]) {
    assert.ok(text.includes(words));
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { root: document } = await tab.send("DOM.getDocument", { depth: -1 });
  assert.ok(JSON.stringify(document).includes("This browser runs no scripts on this page."));
});

test("the page is built to the same bytes again, and holds no address of anything to load", () => {
  const name = path.join(root, "build/share/seif/self-opening.html");
  const first = fs.readFileSync(name, "utf8");
  execFileSync(path.join(root, "scripts/build-page"), { stdio: "ignore" });
  assert.equal(fs.readFileSync(name, "utf8"), first);
  assert.doesNotMatch(first.replace(/<pre>[\s\S]*?<\/pre>/g, ""), /https?:|\bsrc=|@import|innerHTML|\beval\(/);
});
