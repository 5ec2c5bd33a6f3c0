// @ts-check
import { makeArgon2id } from "../shared/argon2id.mjs";
import { decodeBase64 } from "../shared/encodings.mjs";
import { BackupError } from "../shared/errors.mjs";
import { openBackup, readHeader } from "../shared/open.mjs";
import { Entries } from "./views.mjs";
import { failureWords, summaryWords } from "./words.mjs";

/** @import { Sealed } from "../shared/header.mjs" */

const millisecondsToLock = 10 * 60 * 1000;

/** @type {(id: string) => any} */
const part = (id) => document.getElementById(id);

/** When the page was last used, by two clocks: one also runs in sleep, the other can't be set back. */
let lastUse = { date: Date.now(), uptime: performance.now() };
/** @type {Entries | null} */
let entries = null;

/** Notes that the page is used. */
function use() {
  lastUse = { date: Date.now(), uptime: performance.now() };
}

/** Locks a page that wasn't used for too long, and says whether it did. */
function lockIfUnused() {
  const unused = Math.max(Date.now() - lastUse.date, performance.now() - lastUse.uptime);
  if (unused <= millisecondsToLock || (!entries && part("passphrase").value === "")) return false;
  lock();
  return true;
}

/**
 * A key or a click. The first after a sleep comes before any timer does: it must not count as use, nor do anything.
 * @param {Event} event
 */
function used(event) {
  if (lockIfUnused()) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else {
    use();
  }
}

/** Forgets everything by beginning anew; what is shown goes first. */
function lock() {
  entries = null;
  part("lists").replaceChildren();
  part("opened").hidden = true;
  part("passphrase").value = "";
  location.reload();
}

/** @param {unknown} error */
function showFailure(error) {
  part("failure").textContent = error instanceof BackupError ? failureWords(error) :
    "This browser can't open it. Try another one, or another way below.";
}

/** Lets the browser draw what was just changed: deriving keeps it busy. */
function drawn() {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
}

/**
 * @param {string} text
 * @param {string} name
 */
async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    part("status").textContent = `${name} copied. The clipboard keeps it until you copy something else.`;
  } catch {
    part("status").textContent = `This browser lets no page copy. Show the ${name.toLowerCase()} and select it.`;
  }
}

/** @param {Sealed} sealed */
async function open(sealed) {
  part("failure").textContent = "";
  part("open").disabled = true;
  part("open").textContent = "Opening…";
  try {
    await drawn();
    const module = await WebAssembly.compile(decodeBase64(part("argon2id-wasm").textContent) ?? new Uint8Array());
    const contents = await openBackup(sealed, part("passphrase").value, makeArgon2id(module));
    part("passphrase").value = "";
    await show(contents);
  } catch (error) {
    showFailure(error);
    part("passphrase").focus();
  } finally {
    part("open").disabled = false;
    part("open").textContent = "Open";
  }
}

/** @param {import("../shared/body.mjs").Contents} contents */
async function show(contents) {
  entries = new Entries(contents, copy);
  await entries.tick(Date.now() / 1000);
  part("lists").replaceChildren(...entries.sections);
  part("summary").textContent = summaryWords(contents);
  part("locked").hidden = true;
  part("opened").hidden = false;
  part("summary").focus();
  use();
}

/**
 * The one backup of this page. Another reader looks for its beginning in the file's bytes: whatever could be found there
 * instead, in a comment also, makes the file one that no reader opens.
 * @throws {BackupError}
 */
function findBackup() {
  const [block, ...others] = document.querySelectorAll("[id='seif-backup' i]");
  const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT);
  for (let node = comments.nextNode(); node; node = comments.nextNode()) {
    if (/id=["]seif-backup["]/i.test(node.nodeValue ?? "")) throw new BackupError("unreadable", "two backups");
  }
  if (others.length > 0) throw new BackupError("unreadable", "two backups");
  const text = block?.matches('script[type="application/json"]') ? block.textContent ?? "" : "";
  if (text.includes("<")) throw new BackupError("unreadable", "backup");
  const sealed = readHeader(new TextEncoder().encode(text), "authbackup");
  if (sealed.version !== 2) throw new BackupError("unsupported-version", "version");
  return sealed;
}

function start() {
  if (!globalThis.crypto?.subtle || !globalThis.WebAssembly) {
    showFailure(null);
    return;
  }
  /** @type {Sealed} */
  let sealed;
  try {
    sealed = findBackup();
  } catch (error) {
    showFailure(error);
    return;
  }
  const memory = "memoryKiB" in sealed.cost ? ` and ${Math.ceil(sealed.cost.memoryKiB / 1024)} MB of memory` : "";
  part("cost").textContent = `Opening takes about a second${memory}.`;
  part("opening").hidden = false;
  part("opening").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    if (part("passphrase").value === "") part("failure").textContent = "Type the passphrase of this backup.";
    else open(sealed);
  });
  part("reveal").addEventListener("click", () => {
    const isHidden = part("passphrase").type === "password";
    part("passphrase").type = isHidden ? "text" : "password";
    part("reveal").textContent = isHidden ? "Hide" : "Show";
    part("reveal").setAttribute("aria-pressed", String(isHidden));
  });
  part("lock").addEventListener("click", lock);
  part("filter").addEventListener("input", () => {
    part("nothing").hidden = entries?.filter(part("filter").value) ?? true;
  });
  setInterval(() => {
    if (!lockIfUnused()) entries?.tick(Date.now() / 1000);
  }, 1000);
  for (const event of ["pointerdown", "keydown", "click"]) addEventListener(event, used, { capture: true });
  // Timers of a page that isn't seen may stand still, and a machine that wakes shows the page before it runs them.
  for (const event of ["resume", "visibilitychange"]) document.addEventListener(event, lockIfUnused);
  addEventListener("focus", lockIfUnused);
  // A page that the browser keeps for its Back button would keep what was open.
  addEventListener("pagehide", () => { if (entries) part("lists").replaceChildren(); });
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
    else lockIfUnused();
  });
  part("passphrase").focus();
}

start();
