// @ts-check
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const programs = ["/usr/lib/chromium/chromium", "/usr/bin/chromium"];

/** Chromium without a window and with no network but this machine, driven by its debugging protocol over a pipe. */
export class Browser {
  static async start() {
    const program = programs.find((name) => fs.existsSync(name));
    if (!program) throw new Error("Chromium isn't here: scripts/set-up test");
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), "seif-chromium-"));
    const process_ = spawn(program, [
      "--headless=new", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "--no-first-run", "--disable-gpu",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-features=LocalNetworkAccessChecks", "--disable-background-networking", "--disable-component-update",
      "--window-size=800,1000", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    return new Browser(process_, profile);
  }

  /**
   * @param {import("node:child_process").ChildProcess} child
   * @param {string} profile
   */
  constructor(child, profile) {
    this.child = child;
    this.profile = profile;
    this.lastID = 0;
    /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
    this.waiting = new Map();
    /** @type {{ method: string, params: any, sessionId?: string }[]} */
    this.events = [];
    let text = "";
    const output = /** @type {import("node:stream").Readable} */ (child.stdio[4]);
    output.setEncoding("utf8");
    output.on("data", (chunk) => {
      const messages = (text + chunk).split("\0");
      text = messages.pop() ?? "";
      for (const message of messages) this.receive(JSON.parse(message));
    });
    child.on("exit", () => {
      for (const { reject } of this.waiting.values()) reject(new Error("Chromium ended"));
    });
  }

  /** @param {any} message */
  receive(message) {
    const call = this.waiting.get(message.id);
    if (!call) {
      this.events.push(message);
      return;
    }
    this.waiting.delete(message.id);
    if (message.error) call.reject(new Error(message.error.message));
    else call.resolve(message.result);
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {string} [sessionId]
   * @returns {Promise<any>}
   */
  send(method, params = {}, sessionId) {
    const id = ++this.lastID;
    const input = /** @type {import("node:stream").Writable} */ (this.child.stdio[3]);
    input.write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  /** Opens a tab whose requests and messages are all noted. */
  async tab() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, sessionId);
    for (const domain of ["Page", "Runtime", "Log", "Network", "Audits"]) await tab.send(`${domain}.enable`);
    return tab;
  }

  async stop() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(timer);
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Tab {
  /**
   * @param {Browser} browser
   * @param {string} session
   */
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
  }

  /**
   * @param {string} method
   * @param {object} [params]
   */
  send(method, params = {}) {
    return this.browser.send(method, params, this.session);
  }

  /**
   * The value of an expression in the page, which is waited for.
   * @param {string} expression
   */
  async value(expression) {
    const answer = await this.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true, userGesture: true,
    });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? "exception");
    return answer.result.value;
  }

  /**
   * Waits until an expression is true.
   * @param {string} expression
   */
  async until(expression) {
    for (let attempt = 0; attempt < 600; attempt++) {
      if (await this.value(expression).catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`never came true: ${expression}`);
  }

  /** @param {string} method */
  events(method) {
    return this.browser.events.filter((event) => event.method === method && event.sessionId === this.session)
      .map((event) => event.params);
  }

  /** What the browser complained of: exceptions, messages, violations of the policy. */
  complaints() {
    return [...this.events("Runtime.exceptionThrown"), ...this.events("Runtime.consoleAPICalled"),
      ...this.events("Log.entryAdded"), ...this.events("Audits.issueAdded")].map((event) => JSON.stringify(event));
  }

  /** The addresses that the page asked for. */
  requests() {
    return this.events("Network.requestWillBeSent").map((event) => event.request.url);
  }

  /** @param {string} file */
  async screenshot(file) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }
}
