// Runs the script of Tests/Vectors/index.html in Node, with the few parts of a page that it touches.
//     node page.mjs index.html vectors.json …      prints what the page would show, as JSON
import { webcrypto } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

// A browser has it without asking; Node before 19 hasn't.
globalThis.crypto ??= webcrypto;

const [page, ...vectors] = process.argv.slice(2);
const script = /<script type="module">([\s\S]*)<\/script>/.exec(fs.readFileSync(page, "utf8"))[1];
class Element {
  textContent = "";
  children = [];
  append(...parts) { for (const part of parts) typeof part === "string" ? this.textContent += part : this.children.push(part); }
  replaceChildren(...parts) { this.children = parts; }
  addEventListener(_, listener) { this.listener = listener; }
}
const elements = {};
globalThis.document = { getElementById: (id) => elements[id] ??= new Element(), createElement: () => new Element() };
await import("data:text/javascript," + encodeURIComponent(script));
const files = vectors.map((name) => ({ name: path.basename(name), text: async () => fs.readFileSync(name, "utf8") }));
await elements.files.listener({ target: { files } });
console.log(JSON.stringify({ verdict: elements.verdict.textContent, faults: elements.faults.textContent,
  rows: elements.rows.children.map((row) => row.children.map((cell) => cell.textContent)) }));
