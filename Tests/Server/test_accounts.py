"""Signing in at the real server: over a socket, and with a passkey of a real browser. The log says nothing of either."""
import base64
import hmac
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Vectors"))
import webauthn_chromium  # noqa: E402

PROGRAM = Path(os.environ.get("SEIF_SERVER_BINARY", ROOT / ".build" / "debug" / "seif-server"))
CHROMIUM = next((path for path in ("/usr/lib/chromium/chromium", shutil.which("chromium")) if path and
                 os.path.exists(path)), None)
PASSWORD = "correct horse battery"
GRANT = "urn:ietf:params:oauth:grant-type:device_code"

PAGE = """(async () => {
  const log = []; let csrf = '';
  const bytes = (t) => Uint8Array.from(atob(t.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  const call = async (method, path, body) => {
    const headers = {...(body ? {'Content-Type': 'application/json'} : {}), ...(csrf ? {'X-CSRF-Token': csrf} : {})};
    const answer = await fetch(path, {method, headers, body: body ? JSON.stringify(body) : undefined});
    const text = await answer.text();
    log.push([method, path, answer.status]);
    return text ? JSON.parse(text) : null;
  };
  const shown = (credential, names) => ({credential: {id: text(credential.rawId), type: credential.type,
    response: Object.fromEntries(names.map((name) => [name, text(credential.response[name])]))}});
  csrf = (await call('POST', '/account/session', {name: 'anna', password: PASSWORD})).csrf;
  const make = (await call('POST', '/account/passkeys/begin')).publicKey;
  make.challenge = bytes(make.challenge); make.user.id = bytes(make.user.id);
  const made = await navigator.credentials.create({publicKey: make});
  await call('POST', '/account/passkeys/finish',
    {label: 'Chromium', ...shown(made, ['clientDataJSON', 'attestationObject'])});
  await call('DELETE', '/account/session'); csrf = '';
  await call('GET', '/account');
  const ask = (await call('POST', '/account/session/passkey/begin')).publicKey;
  ask.challenge = bytes(ask.challenge);
  const got = await navigator.credentials.get({publicKey: ask});
  const answer = shown(got, ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']);
  csrf = (await call('POST', '/account/session/passkey/finish', answer)).csrf;
  await call('GET', '/account');
  await call('POST', '/account/session/passkey/finish', answer);
  await call('DELETE', '/account/sessions');
  return {log, cookie: document.cookie};
})()"""


def totp(secret):
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), "sha1").digest()
    place = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[place:place + 4])[0] & 0x7FFFFFFF) % 10**6:06}"


@unittest.skipUnless(PROGRAM.exists(), "no program: run 'swift build --product seif-server', or set SEIF_SERVER_BINARY")
class Accounts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data, self.log = Path(folder.name) / "data", Path(folder.name) / "log"
        self.data.mkdir(mode=0o700)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.origin = f"http://localhost:{self.port}"
        made = subprocess.run(
            [PROGRAM, "serve", "user", "add", "anna", "--data", self.data, "--origin", self.origin],
            capture_output=True, text=True, check=True)
        self.link = re.search(r"#([A-Za-z0-9_-]{43})", made.stdout).group(1)
        with self.log.open("wb") as log:
            self.server = subprocess.Popen(
                [PROGRAM, "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.port}", "--origin", self.origin],
                stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(self.stop)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.1)

    def stop(self):
        if self.server.poll() is None:
            self.server.terminate()
            self.server.wait(60)

    def send(self, method, path, body=None, form=None, **headers):
        fields = {"Host": f"localhost:{self.port}", **headers}
        data = None
        if body is not None:
            data, fields["Content-Type"] = json.dumps(body).encode(), "application/json"
        if form is not None:
            data, fields["Content-Type"] = form.encode(), "application/x-www-form-urlencoded"
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, fields, method=method)
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None, answer.headers

    def enrol(self):
        return self.send("POST", f"/account/enrol/{self.link}", {"password": PASSWORD}, Origin=self.origin)[0]

    def test_from_the_link_to_a_devices_token(self):
        self.assertEqual([self.enrol(), self.enrol()], [200, 404])
        sign_in = {"name": "anna", "password": PASSWORD}
        self.assertEqual(self.send("POST", "/account/session", sign_in)[0], 403, "without an origin")
        status, session, headers = self.send("POST", "/account/session", sign_in, Origin=self.origin)
        self.assertEqual(status, 200)
        cookie = headers.get_all("Set-Cookie")[0].split(";")[0]
        signed_in = {"Origin": self.origin, "Cookie": cookie, "X-CSRF-Token": session["csrf"]}
        secret = self.send("POST", "/account/totp", **signed_in)[1]["secret"]
        status, codes, _ = self.send("POST", "/account/totp/confirm", {"code": totp(secret)}, **signed_in)
        self.assertEqual((status, len(codes["codes"])), (200, 10))
        problem = self.send("POST", "/account/session", sign_in, Origin=self.origin)[1]
        self.assertEqual(problem["type"], "/problems/second-factor")
        device = self.send("POST", "/api/v1/device/code", form="client_id=laptop&scope=read")[1]
        form = f"grant_type={GRANT}&client_id=laptop&device_code={device['device_code']}"
        status, problem, _ = self.send("POST", "/api/v1/device/token", form=form)
        self.assertEqual((status, problem["error"]), (400, "authorization_pending"))
        decision = {"code": device["user_code"], "grant": True}
        self.assertEqual(self.send("POST", "/account/device/decision", decision, **signed_in)[0], 204)
        time.sleep(5.1)
        token = self.send("POST", "/api/v1/device/token", form=form)[1]["access_token"]
        bearer = {"Authorization": f"Bearer {token}"}
        self.assertEqual(self.send("GET", "/api/v1/vault/", **bearer)[0], 200)
        self.assertEqual(self.send("GET", "/account/vault/", **bearer)[0], 401)
        self.assertEqual(self.send("GET", "/account/vault/", Cookie=cookie, **bearer)[0], 400)
        export = self.send("GET", "/account/export", Cookie=cookie)[1]
        self.assertEqual([row["label"] for row in export["tokens"]], ["laptop"])
        self.stop()
        self.assertEqual(self.server.returncode, 0)
        log = self.log.read_text()
        self.assertIn("POST /account/enrol/{token} 200", log)
        stored = b"".join(path.read_bytes() for path in self.data.iterdir() if path.name.startswith("server.db"))
        bits = cookie.split("=", 1)[1]
        for text in (PASSWORD, self.link, bits, token, token[5:], secret, session["csrf"], device["device_code"],
                     *codes["codes"]):
            self.assertNotIn(text, log)
            self.assertNotIn(text.encode(), stored)
        for raw in (base64.urlsafe_b64decode(bits + "="), base64.urlsafe_b64decode(token[5:] + "="),
                    base64.b32decode(secret + "=" * (-len(secret) % 8))):
            self.assertNotIn(raw, stored)
        for text in ("anna", "laptop", "127.0.0.1", device["user_code"]):
            self.assertNotIn(text, log)

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_a_browsers_passkey_signs_in(self):
        self.assertEqual(self.enrol(), 200)
        browser = webauthn_chromium.Browser(CHROMIUM)
        self.addCleanup(browser.close)
        browser.open(f"{self.origin}/page")
        browser.run(webauthn_chromium.TEXT)
        shown = browser.run(PAGE.replace("PASSWORD", json.dumps(PASSWORD)))
        self.assertEqual([row[2] for row in shown["log"]], [200, 200, 201, 204, 401, 200, 200, 200, 401, 204])
        self.assertEqual(shown["cookie"], "", "no script sees the cookie")


if __name__ == "__main__":
    unittest.main()
