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

let lastUse = Date.now();
/** @type {Entries | null} */
let entries = null;

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
  lastUse = Date.now();
  setInterval(() => {
    // By the clock on the wall, so that sleep counts.
    if (Date.now() - lastUse > millisecondsToLock) lock();
    else entries?.tick(Date.now() / 1000);
  }, 1000);
}

function start() {
  if (!globalThis.crypto?.subtle || !globalThis.WebAssembly) {
    showFailure(null);
    return;
  }
  /** @type {Sealed} */
  let sealed;
  try {
    sealed = readHeader(new TextEncoder().encode(part("seif-backup").textContent));
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
  for (const event of ["pointerdown", "keydown"]) addEventListener(event, () => { lastUse = Date.now(); });
  // A page that the browser keeps for its Back button would keep what was open.
  addEventListener("pagehide", () => { if (entries) part("lists").replaceChildren(); });
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  part("passphrase").focus();
}

start();
