#!/usr/bin/env python3
"""Makes webauthn-chromium.json: a passkey and two answers of it, as Chromium makes them with its virtual authenticator.

python3 webauthn_chromium.py PATH/TO/chromium > webauthn-chromium.json. Each run makes another key.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import time

PORT = 8311
USER = "11111111-2222-4333-8444-555555555555"


class Browser:
    """A browser that is told what to do through a pipe: messages of JSON that end with NUL."""

    def __init__(self, program):
        (their_in, self.out), (self.into, their_out) = os.pipe(), os.pipe()

        def place():
            first, second = os.dup(their_in), os.dup(their_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
             f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=place, close_fds=False, stderr=subprocess.DEVNULL)
        self.count, self.bytes, self.session = 0, b"", None
        os.close(their_in)
        os.close(their_out)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.folder.cleanup()

    def send(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        return self.count

    def receive(self):
        while b"\0" not in self.bytes:
            self.bytes += os.read(self.into, 65536) or sys.exit("the browser ended")
        one, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **parameters):
        number = self.send(method, **parameters)
        while (answer := self.receive()).get("id") != number:
            pass
        return answer["result"] if "result" in answer else sys.exit(str(answer))

    def open(self, address):
        """An empty page at an address, which is given here and asked for nowhere, with an authenticator."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("WebAuthn.enable")
        self.call("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True})
        self.call("Fetch.enable", patterns=[{"urlPattern": address}])
        self.send("Page.navigate", url=address)
        while (event := self.receive()).get("method") != "Fetch.requestPaused":
            pass
        self.call("Fetch.fulfillRequest", requestId=event["params"]["requestId"], responseCode=200,
                  responseHeaders=[{"name": "Content-Type", "value": "text/html"}],
                  body=base64.b64encode(b"<!doctype html><title>passkey</title>").decode())
        self.call("Fetch.disable")
        for _ in range(100):
            if self.run("location.href + document.readyState") == address + "complete":
                return
            time.sleep(0.1)

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        return answer["result"]["value"] if "exceptionDetails" not in answer else sys.exit(str(answer))


TEXT = """globalThis.text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=/g, ''); 0"""
CREATE = """(async () => {
  const made = await navigator.credentials.create({publicKey: {
    challenge: new Uint8Array(32).fill(1), rp: {id: 'localhost', name: 'localhost'},
    user: {id: Uint8Array.from(%s), name: 'anna', displayName: 'anna'},
    pubKeyCredParams: [{type: 'public-key', alg: -7}], attestation: 'none',
    authenticatorSelection: {residentKey: 'required', requireResidentKey: true, userVerification: 'required'}}});
  return {id: text(made.rawId), clientDataJSON: text(made.response.clientDataJSON),
    attestationObject: text(made.response.attestationObject)}; })()"""
GET = """(async () => {
  const got = await navigator.credentials.get({publicKey: {
    challenge: new Uint8Array(32).fill(%d), rpId: 'localhost', userVerification: 'required'}});
  return {id: text(got.rawId), clientDataJSON: text(got.response.clientDataJSON),
    authenticatorData: text(got.response.authenticatorData), signature: text(got.response.signature),
    userHandle: text(got.response.userHandle)}; })()"""


def main(program):
    browser = Browser(program)
    version = browser.call("Browser.getVersion")["product"].replace("Headless", "")
    browser.open(f"http://localhost:{PORT}/")
    browser.run(TEXT)
    created = browser.run(CREATE % list(bytes.fromhex(USER.replace("-", ""))))
    answers = [browser.run(GET % number) for number in (2, 3)]
    browser.close()
    about = "A passkey as a browser made it, with its virtual authenticator, and two answers of it."
    print(json.dumps({
        "about": about, "browser": version, "origin": f"http://localhost:{PORT}", "relyingParty": "localhost",
        "account": USER, "created": created, "answers": answers}, indent=2))


if __name__ == "__main__":
    main(sys.argv[1])
