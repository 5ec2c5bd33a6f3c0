// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import test, { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";
import { argon2id } from "./support.mjs";

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
  await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: `Date.now = () => (${moment} + (window.secondsLater ?? 0)) * 1000;` });
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
  assert.deepEqual(tab.complaints(), []);
  assert.deepEqual(tab.requests(), [pathToFileURL(file).href]);
});

/**
 * What arrives at a server of this machine when a page tries, each in its way, to tell it something, and which rules of
 * the page's policy were said to forbid it.
 * @param {string} name
 */
async function told(name) {
  /** @type {Set<string>} */
  const arrived = new Set();
  /** @type {import("node:net").Socket[]} */
  const connections = [];
  const server = createServer((request, response) => {
    arrived.add(new URL(request.url ?? "", "http://127.0.0.1").pathname);
    response.end();
  });
  server.on("connection", (socket) => connections.push(socket));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  try {
    const tab = await load(name);
    await tab.value(`window.forbidden = [];
      addEventListener("securitypolicyviolation", (event) => forbidden.push(event.effectiveDirective))`);
    /** @type {(way: string, text: string) => Promise<void>} */
    const attempt = async (way, text) => {
      const before = await tab.value("forbidden.length");
      await tab.value(`(() => { const address = "http://127.0.0.1:${port}/${way}"; ${text} })()`);
      for (let wait = 0; wait < 100 && !arrived.has(`/${way}`); wait++) {
        if (await tab.value("window.forbidden?.length ?? Infinity").catch(() => Infinity) > before) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    await attempt("fetch", `fetch(address, { mode: "no-cors" }).catch(() => {})`);
    await attempt("image", `new Image().src = address`);
    await attempt("beacon", `navigator.sendBeacon(address, "told")`);
    await attempt("style", `const made = document.createElement("link"); made.rel = "stylesheet"; made.href = address;
      document.head.append(made)`);
    // Before it asks the policy about a navigation Chromium connects: those below may, but must send nothing.
    const connected = connections.length;
    await attempt("frame", `const made = document.createElement("iframe"); made.src = address;
      document.body.append(made)`);
    const forbidden = await tab.value("forbidden");
    // Last: where it isn't forbidden, it leaves the page.
    await tab.value(`addEventListener("securitypolicyviolation", (event) => { window.last = event.effectiveDirective; })`);
    await attempt("form", `const made = document.createElement("form"); made.action = address;
      document.body.append(made); made.submit()`);
    const last = await tab.value("window.last").catch(() => undefined);
    const byteCount = connections.reduce((sum, socket) => sum + socket.bytesRead, 0);
    return {
      arrived: [...arrived].sort(), connected, byteCount, forbidden: [...forbidden, ...(last ? [last] : [])].sort(),
    };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test("the page's policy forbids it to tell anybody anything, and without the policy it could", async () => {
  const kept = await told(file);
  assert.deepEqual(kept, {
    arrived: [], connected: 0, byteCount: 0,
    forbidden: ["connect-src", "connect-src", "form-action", "frame-src", "img-src", "style-src-elem"],
  });
  const text = fs.readFileSync(file, "utf8");
  const open = text.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>\n/, "");
  assert.notEqual(open, text);
  const leaked = await told(put("open.html", open));
  assert.deepEqual(leaked.arrived.filter((way) => way !== "/favicon.ico"),
    ["/beacon", "/fetch", "/form", "/frame", "/image", "/style"]);
  assert.deepEqual(leaked.forbidden, []);
});

test("after a sleep the page is locked before the first key or click does anything", async () => {
  const wakes = [
    `document.getElementById("filter").dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }))`,
    `document.querySelector('button[aria-label^="Show Password"]').click()`,
    `document.body.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }))`,
    `document.dispatchEvent(new Event("visibilitychange"))`,
    `window.dispatchEvent(new PageTransitionEvent("pageshow"))`,
  ];
  const left = `document.getElementById("lists").childElementCount`;
  for (const wake of wakes) {
    const tab = await load(file);
    await type(tab, passphrase);
    await tab.until(shown);
    // Used after nine minutes, it stays open for ten more.
    assert.ok(await tab.value(`window.secondsLater = 540; document.body.click(); ${left}`) > 0);
    assert.ok(await tab.value(`window.secondsLater = 1100; ${wake}; ${left}`) > 0, wake);
    // In one step, so that no timer can have come first.
    assert.equal(await tab.value(`window.before = true; window.secondsLater = 2000; ${wake}; ${left}`), 0, wake);
    await tab.until(`!window.before && document.getElementById("opening")?.hidden === false`);
    assert.deepEqual(tab.complaints(), []);
  }
});

test("a page that nobody uses locks itself, and forgets what was typed", async () => {
  for (const isOpened of [true, false]) {
    const tab = await load(file);
    await tab.value(`document.getElementById("passphrase").focus()`);
    await tab.send("Input.insertText", { text: passphrase });
    if (isOpened) await tab.value(`document.getElementById("open").click()`);
    if (isOpened) await tab.until(shown);
    await tab.value(`window.before = true; window.secondsLater = 601`);
    await tab.until(`!window.before && document.getElementById("opening")?.hidden === false`);
    assert.equal(await tab.value(`document.getElementById("passphrase").value`), "");
    assert.equal(await tab.value(shown), false);
  }
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

/**
 * A page around a body of our own, sealed here for a cost that no real file has.
 * @param {object} body
 */
async function pageAround(body) {
  const [salt, nonce] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))];
  const cost = { memoryKiB: 64, passes: 1, lanes: 1 };
  const raw = await argon2id({ password: new TextEncoder().encode(passphrase), salt, ...cost });
  const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt"]);
  const additionalData = Buffer.concat([Buffer.from("authbackup:2:argon2id:64:1:1:"), salt]);
  const sealed = Buffer.from(await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce, additionalData }, key,
    new TextEncoder().encode(JSON.stringify(body))));
  /** @param {Uint8Array} bytes */
  const base64 = (bytes) => Buffer.from(bytes).toString("base64");
  const backup = JSON.stringify({
    format: "authbackup", version: 2, kdf: "argon2id", cipher: "AES-256-GCM", ...cost, salt: base64(salt),
    nonce: base64(nonce), ciphertext: base64(sealed.subarray(0, -16)), tag: base64(sealed.subarray(-16)),
  });
  const template = fs.readFileSync(path.join(root, "build/share/seif/self-opening.html"), "utf8");
  return template.replace('id="seif-backup"></script>', () => `id="seif-backup">${backup}</script>`);
}

test("places of backups stand apart from logins, without their secrets; fields of one name have numbers", async () => {
  const field = (/** @type {string} */ name, /** @type {string} */ value, isSecret = true) => ({ name, value, isSecret });
  const page = await pageAround({
    version: 2, exportedAt: "2026-09-17T08:15:30Z", accounts: [], cards: [],
    passwords: [
      { title: "Shop", username: "ana", password: "shop-password",
        customFields: [field("PIN", "1"), field("PIN 2", "2"), field("PIN", "3"), field("PIN", "4")] },
      { title: "Drive place", username: "", password: "place-password", tags: ["seif-transport"], notes: "place-note",
        totp: "otpauth://totp/a?secret=MZXW6YTBOI",
        customFields: [field("refresh-token", "place-token"), field("kind", "google-drive", false)] },
    ],
  });
  const tab = await load(put("places.html", page));
  await type(tab, passphrase);
  await tab.until(shown);
  const sections = await tab.value(`[...document.querySelectorAll("#lists > section")].map((section) => [
    section.querySelector("h2").textContent, section.querySelectorAll("article").length,
    section.querySelectorAll("button").length])`);
  assert.deepEqual(sections, [["Logins", 1, 11], ["Settings of Seif", 1, 0]]);
  await tab.value(`for (const made of document.querySelectorAll("#lists button")) if (made.textContent === "Show") made.click()`);
  const text = await tab.value(`document.getElementById("opened").innerText`);
  for (const word of ["shop-password", "Drive place", "google-drive", "1 login", "1 setting of Seif"]) {
    assert.ok(text.includes(word), word);
  }
  for (const secret of ["place-password", "place-token", "place-note"]) assert.ok(!text.includes(secret), secret);
  assert.deepEqual(await tab.value(`[...document.querySelectorAll("dt")].map((label) => label.textContent)`),
    ["User name", "Password", "PIN", "PIN 2", "PIN 3", "PIN 4", "kind"]);
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
  const block = /<script type="application\/json" id="seif-backup">[^<]*<\/script>/;
  const [whole] = block.exec(text) ?? [""];
  /** @type {[string, string][]} */
  const others = [
    ["old.html", text.replace("<main>", () => `<!-- ${whole} --><main>`)],
    ["two.html", text.replace("<main>", () => `${whole}<main>`)],
    ["comment.html", text.replace(block, () => `<!-- ${whole} -->`)],
    ["other-format.html", text.replace(block, () => whole.replace('"authbackup"', '"vault2fa-backup"'))],
    ["old-version.html", text.replace(block, () => whole.replace(/\{[^<]*/, () => oldBackup()))],
  ];
  for (const [name, content] of others) {
    assert.notEqual(content, text, name);
    const tab = await load(put(name, content));
    await tab.until(`document.getElementById("failure").textContent !== ""`);
    assert.equal(await tab.value(`document.getElementById("opening").hidden`), true, name);
    // The two readers beside the browser say the same.
    const path_ = path.join(folder, name);
    assert.throws(() => seif("open", path_, "--passphrase-file", path.join(folder, "own")), name);
    assert.throws(() => openWithPython(path_), name);
  }
  const tab = await changed("cut.html", /"ciphertext": ".{8}/, '"ciphertext": "');
  await type(tab, passphrase);
  await tab.until(says("the two can't be told apart"));
  assert.equal(await tab.value(shown), false);
});

/** @param {string} name */
function openWithPython(name) {
  const python = process.env.SEIF_PYTHON ?? path.join(root, "build/venv/bin/python3");
  return JSON.parse(execFileSync(python, [path.join(root, "docs/openers/authbackup_v2.py"), name], {
    input: `${passphrase}\n`, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"],
  }));
}

/** A backup of version 1, which no page holds. */
function oldBackup() {
  const vectors = JSON.parse(fs.readFileSync(path.join(root, "Tests/Vectors/authbackup-v1.json"), "utf8"));
  const list = Array.isArray(vectors) ? vectors : vectors.vectors;
  return list.find((/** @type {any} */ vector) => typeof vector.file === "string" && !vector.file.includes("<")).file;
}

test("the opener in Python opens what Seif made", () => {
  const body = openWithPython(file);
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
