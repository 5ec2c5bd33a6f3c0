"""OAuth 2.0 as Google and Dropbox document it: codes with PKCE (S256), devices, refreshing."""
import base64
import hashlib
import json
import re
from urllib.parse import parse_qsl, quote

# A permission that is there from the start, for every client.
STANDING = "seif-standing-refresh-token"
SECRET = "seif-client-secret"
DRIVE_SCOPE = "https://www.googleapis.com/auth/drive.appdata"
DROPBOX_SCOPES = {"files.content.read", "files.content.write", "files.metadata.read", "account_info.read"}
JSON = {"Content-Type": "application/json"}


class Refused(Exception):
    """A refusal, in the words of the interface that was asked."""

    def __init__(self, status, reason, headers=None):
        super().__init__(reason)
        self.status, self.reason, self.headers = status, reason, headers or {}

    def answer(self, path):
        if path.startswith(("/drive/", "/upload/")):
            error = {"code": self.status, "message": f"secret words about {path}",
                     "errors": [{"domain": "global", "reason": self.reason, "message": "secret words"}]}
            return self.status, JSON | self.headers, json.dumps({"error": error})
        if path.startswith("/2/") and self.status != 400:
            tag = self.reason.split("/")[0]
            return self.status, JSON | self.headers, json.dumps(
                {"error_summary": self.reason + "/..", "error": {".tag": tag}, "user_message": "secret words"})
        if path.startswith("/2/"):
            return 400, {"Content-Type": "text/plain"}, f"Error in call to API function: {self.reason}"
        return self.status, JSON | self.headers, json.dumps(
            {"error": self.reason, "error_description": "secret words"})


class OAuth:
    def __init__(self, state):
        self.state = state
        self.count = 0
        self.codes = {}
        self.devices = {}
        self.access_tokens = {}
        self.refresh_tokens = {}
        self.revoked = set()

    def name(self, kind):
        self.count += 1
        return f"seif-{kind}-{self.count}-{hashlib.sha256(f'{kind}{self.count}'.encode()).hexdigest()[:24]}"

    def revoke(self, token):
        self.refresh_tokens.pop(token, None)
        self.revoked.add(token)
        self.access_tokens.clear()

    # Who asks, by the token in the head.
    def client(self, request, scope):
        given = request.headers.get_all("Authorization") or []
        if len(given) != 1 or not given[0].startswith("Bearer "):
            raise Refused(401, "invalid_access_token" if request.path.startswith("/2/") else "authError")
        token = self.access_tokens.get(given[0][7:])
        is_dropbox = request.path.startswith("/2/")
        if token is None or token["provider"] != ("dropbox" if is_dropbox else "google"):
            raise Refused(401, "invalid_access_token" if is_dropbox else "authError")
        if token["uses"] is not None:
            token["uses"] -= 1
            if token["uses"] < 0:
                raise Refused(401, "expired_access_token" if is_dropbox else "authError")
        if scope not in token["scope"].split():
            raise Refused(401 if is_dropbox else 403, "missing_scope" if is_dropbox else "insufficientPermissions")
        return token["client"]

    def answer(self, request):
        route = f"{request.method} {request.path}"
        if route in ("GET /o/oauth2/v2/auth", "GET /oauth2/authorize"):
            return self.authorize(request, "google" if request.path.startswith("/o/") else "dropbox")
        if route in ("POST /token", "POST /oauth2/token"):
            return self.token(self.form(request), "google" if request.path == "/token" else "dropbox")
        if route == "POST /revoke":
            return self.take_back(self.form(request))
        if route == "POST /2/auth/token/revoke":
            return self.take_back_access(request)
        if route == "POST /device/code":
            return self.device(self.form(request))
        return None

    # RFC 7009, as Google has it.
    def take_back(self, form):
        if set(form) != {"token"}:
            raise Refused(400, "invalid_request")
        if form["token"] not in self.refresh_tokens and form["token"] not in self.access_tokens:
            raise Refused(400, "invalid_token")
        self.revoke(form["token"])
        return 200, JSON, "{}"

    # Dropbox ends the token that is shown and the refresh token that it came of.
    def take_back_access(self, request):
        if request.body or request.query:
            raise Refused(400, "unexpected body")
        client = self.client(request, "files.metadata.read")
        for token in [token for token, known in self.refresh_tokens.items()
                      if known["provider"] == "dropbox" and known["client"] == client]:
            self.refresh_tokens.pop(token)
            self.revoked.add(token)
        self.access_tokens.clear()
        return 200, JSON, "null"

    @staticmethod
    def form(request):
        if request.headers.get("Content-Type") != "application/x-www-form-urlencoded" or request.query:
            raise Refused(400, "invalid_request")
        pairs = parse_qsl(request.body.decode("ascii"), keep_blank_values=True, strict_parsing=True)
        if len(dict(pairs)) != len(pairs):
            raise Refused(400, "invalid_request")
        return dict(pairs)

    @staticmethod
    def check_scope(scope, provider):
        asked = set(scope.split())
        if not asked or asked - ({DRIVE_SCOPE} if provider == "google" else DROPBOX_SCOPES):
            raise Refused(400, "invalid_scope")

    def authorize(self, request, provider):
        own = {"access_type", "prompt"} if provider == "google" else {"token_access_type"}
        request.check_query({"client_id", "response_type", "redirect_uri", "scope", "code_challenge",
                             "code_challenge_method", "state"} | own,
                            {"client_id", "response_type", "scope", "code_challenge", "code_challenge_method"})
        query = request.query
        redirect = query.get("redirect_uri")
        if (query["response_type"] != "code" or query["code_challenge_method"] != "S256"
                or not re.fullmatch(r"[A-Za-z0-9_-]{43}", query["code_challenge"])):
            raise Refused(400, "invalid_request")
        self.check_scope(query["scope"], provider)
        # Dropbox compares addresses whole, with those that the app has listed: none here.
        if provider == "dropbox" and (redirect is not None or query.get("token_access_type") != "offline"):
            raise Refused(400, "invalid_request")
        if provider == "google" and not re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/[a-z]*", redirect or ""):
            raise Refused(400, "redirect_uri_mismatch")
        state = "&state=" + quote(query["state"], safe="") if "state" in query else ""
        if self.state.setting("deny"):
            return 302, {"Location": f"{redirect}?error=access_denied{state}"}, ""
        code = self.name("code")
        self.codes[code] = {"provider": provider, "client": query["client_id"], "redirect": redirect,
                            "challenge": query["code_challenge"], "scope": query["scope"]}
        if redirect is None:
            return 200, {"Content-Type": "text/plain"}, code
        return 302, {"Location": f"{redirect}?code={code}{state}&scope={quote(query['scope'], safe='')}"}, ""

    def device(self, form):
        if set(form) != {"client_id", "scope"}:
            raise Refused(400, "invalid_request")
        self.check_scope(form["scope"], "google")
        code = self.name("device")
        self.devices[code] = {"client": form["client_id"], "scope": form["scope"],
                              "answers": list(self.state.setting("device", ["authorization_pending", "allow"]))}
        return 200, JSON, json.dumps({
            "device_code": code, "user_code": "GQVQ-JKEC", "verification_url": "https://www.google.example/device",
            "expires_in": self.state.setting("deviceSeconds", 1800), "interval": 1})

    def token(self, form, provider):
        if self.state.setting("tokens") == "down":
            return 503, {"Content-Type": "text/html"}, "<html>down</html>"
        secret = form.pop("client_secret", "")
        if secret != (SECRET if provider == "google" else ""):
            raise Refused(401, "invalid_client")
        grant = form.get("grant_type")
        if grant == "authorization_code":
            return self.redeem(form, provider)
        if grant == "refresh_token":
            return self.refresh(form, provider)
        if grant == "urn:ietf:params:oauth:grant-type:device_code" and provider == "google":
            return self.poll(form)
        raise Refused(400, "unsupported_grant_type")

    def redeem(self, form, provider):
        # A code is good for once, whatever comes of it.
        code = self.codes.pop(form.get("code"), None)
        needed = {"grant_type", "code", "code_verifier", "client_id"}
        if provider == "google":
            needed.add("redirect_uri")
        if set(form) != needed:
            raise Refused(400, "invalid_request")
        verifier = form["code_verifier"]
        digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        if (code is None or code["provider"] != provider or code["client"] != form["client_id"]
                or code["redirect"] != form.get("redirect_uri") or code["challenge"] != digest
                or not re.fullmatch(r"[A-Za-z0-9._~-]{43,128}", verifier)):
            raise Refused(400, "invalid_grant")
        return self.grant(provider, code["client"], self.state.setting("scope", code["scope"]), new=True)

    def poll(self, form):
        if set(form) != {"grant_type", "device_code", "client_id"}:
            raise Refused(400, "invalid_request")
        device = self.devices.get(form["device_code"])
        if device is None or device["client"] != form["client_id"]:
            raise Refused(400, "invalid_grant")
        said = device["answers"].pop(0) if device["answers"] else "authorization_pending"
        if said != "allow":
            raise Refused(428 if said == "authorization_pending" else 403, said)
        del self.devices[form["device_code"]]
        return self.grant("google", device["client"], device["scope"], new=True)

    def refresh(self, form, provider):
        if set(form) != {"grant_type", "refresh_token", "client_id"}:
            raise Refused(400, "invalid_request")
        token = form["refresh_token"]
        known = self.refresh_tokens.get(token)
        if token == STANDING and token not in self.revoked:
            scope = DRIVE_SCOPE if provider == "google" else " ".join(sorted(DROPBOX_SCOPES))
            known = {"provider": provider, "client": form["client_id"], "scope": self.state.setting("scope", scope)}
        if known is None or known["provider"] != provider or known["client"] != form["client_id"]:
            raise Refused(400, "invalid_grant")
        is_new = bool(self.state.setting("rotate"))
        if is_new:
            self.refresh_tokens.pop(token, None)
            self.revoked.add(token)
        return self.grant(provider, known["client"], known["scope"], new=is_new)

    def grant(self, provider, client, scope, new):
        access = self.name("access")
        self.access_tokens[access] = {"provider": provider, "client": client, "scope": scope,
                                      "uses": self.state.setting("uses")}
        answer = {"access_token": access, "expires_in": self.state.setting("expiresIn", 3600), "scope": scope,
                  "token_type": "Bearer" if provider == "google" else "bearer"}
        if new and not self.state.setting("withoutRefresh"):
            refresh = self.name("refresh")
            self.refresh_tokens[refresh] = {"provider": provider, "client": client, "scope": scope}
            answer["refresh_token"] = refresh
        if provider == "dropbox":
            answer |= {"account_id": "dbid:seif-" + client, "uid": "1"}
        return 200, JSON, json.dumps(answer)
