"""A client for the service. Standard library only: copy this file and bring your own `Store`."""

import base64
import hashlib
import hmac
import json
import random
import secrets
import threading
import time
from collections import defaultdict
from http.client import HTTPException
from typing import Any, Protocol
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

EARLY_REFRESH_SECONDS = 60
WEBHOOK_TOLERANCE_SECONDS = 5 * 60
LONGEST_PAUSE_SECONDS = 5


class RefusedError(Exception):
    """The service refused the call and did nothing."""

    def __init__(self, status: int, answer: dict[str, Any]) -> None:
        self.status = status
        self.reason = answer.get("reason") or answer.get("error")
        description = answer.get("description") or answer.get("error_description") or f"The service answered {status}."
        fields = "".join(f" {error['field']}: {error['message']}" for error in answer.get("errors", ()))
        super().__init__(description + fields)


class UnknownOutcomeError(Exception):
    """No answer, or an inconclusive one: the call may have taken effect."""

    def __init__(self, message: str, retry_after: float = 0) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class NotConnectedError(Exception):
    """There are no usable tokens: the person must authorize again."""


class NoRedirects(HTTPRedirectHandler):
    """Follows no redirects: they could send the credentials to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Store(Protocol):
    """Documents by kind and id. This module stores each token pair as one document."""

    def get(self, kind: str, id: str) -> Any: ...
    def put(self, kind: str, id: str, document: dict[str, Any]) -> None: ...
    def take(self, kind: str, id: str) -> Any: ...
    def all(self, kind: str) -> list[Any]: ...


class Plainbook:
    def __init__(self, settings: dict[str, Any], store: Store) -> None:
        self.settings = settings
        self.store = store
        credentials = f"{quote(settings['client_id'], '')}:{quote(settings['client_secret'], '')}"
        self._basic = "Basic " + base64.b64encode(credentials.encode()).decode()
        self._opener = build_opener(NoRedirects)
        # These locks cover one process. With several, lock the user's row in the database instead.
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        key: str | None = None,
        token: str | None = None,
        tries: int | None = None,
    ) -> Any:
        """Calls with the client's credentials or a user's token. Retries only what is safe to retry."""
        if tries is None:
            tries = 3 if method == "GET" or key else 1
        for attempt in range(1, tries + 1):
            try:
                return self._send(method, path, body, key, f"Bearer {token}" if token else self._basic)
            except UnknownOutcomeError as error:
                pause = error.retry_after or 2**attempt * random.uniform(0.1, 0.3)
                if attempt == tries or pause > LONGEST_PAUSE_SECONDS:
                    raise
                time.sleep(pause)

    def _send(self, method: str, path: str, body: dict[str, Any] | None, key: str | None, authorization: str) -> Any:
        headers = {"accept": "application/json", "authorization": authorization}
        if body is not None:
            headers["content-type"] = "application/json"
        if key:
            headers["idempotency-key"] = key
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.settings["base_url"] + path, data, headers, method=method)
        try:
            with self._opener.open(request, timeout=self.settings.get("timeout_seconds", 10)) as response:
                text = response.read()
                return json.loads(text) if text else None
        except HTTPError as response:
            with response:
                answer = read_object(response)
            if response.code in (408, 409, 429) or not 400 <= response.code < 500:
                retry_after = response.headers.get("retry-after", "")
                seconds = float(retry_after) if retry_after.isdecimal() else 0
                raise UnknownOutcomeError(f"{method} {path}: {response.code}", seconds) from None
            raise RefusedError(response.code, answer) from None
        except (OSError, HTTPException, ValueError) as error:
            raise UnknownOutcomeError(f"{method} {path}: {error}") from error

    def call_as(self, user_id: str, method: str, path: str, body: dict[str, Any] | None = None, **options: Any) -> Any:
        """Calls with the user's access token. If the service refuses the token, refreshes it and retries once."""
        token = self.access_token(user_id)
        try:
            return self.call(method, path, body, token=token, **options)
        except RefusedError as refusal:
            if refusal.status != 401:
                raise
            return self.call(method, path, body, token=self.refresh(user_id, token), **options)

    def access_token(self, user_id: str) -> str:
        """Returns the user's access token, refreshed if it expires within a minute."""
        pair = self.store.get("pair", user_id)
        if pair is None:
            raise NotConnectedError
        if pair["expires_at"] - EARLY_REFRESH_SECONDS < time.time():
            return self.refresh(user_id, pair["access_token"])
        return pair["access_token"]

    def refresh(self, user_id: str, old_token: str) -> str:
        """Replaces an access token. Concurrent callers share one refresh."""
        with self._locks[user_id]:
            pair = self.store.get("pair", user_id)
            if pair is None:
                raise NotConnectedError
            if pair["access_token"] != old_token:
                return pair["access_token"]
            # Even if this refresh fails, the old token isn't sent again.
            self.store.put("pair", user_id, pair | {"expires_at": 0})
            body = {"grant_type": "refresh_token", "refresh_token": pair["refresh_token"]}
            try:
                return self._save(user_id, self.call("POST", "/v1/oauth/token", body, tries=3))
            except RefusedError as refusal:
                if refusal.reason != "invalid_grant":
                    raise
                self.store.take("pair", user_id)
                raise NotConnectedError from refusal

    def idle_pairs(self, days: float) -> list[dict[str, Any]]:
        """Returns the pairs to refresh, because refresh tokens expire after ten days. Weekly is recommended."""
        return [pair for pair in self.store.all("pair") if pair["saved_at"] + days * 86_400 <= time.time()]

    def disconnect(self, user_id: str) -> None:
        """Revokes the authorization, then deletes its tokens."""
        with self._locks[user_id]:
            pair = self.store.get("pair", user_id)
            if pair:
                self.call("POST", "/v1/oauth/revoke", {"token": pair["refresh_token"]}, tries=3)
                self.store.take("pair", user_id)

    def start_visit(self, customer_id: str, subject: dict[str, str]) -> tuple[str, str, str]:
        """Returns the URL to visit, and the state and verifier to store. `subject`: a user_id or user_intent_id."""
        body = {"provider": self.settings["provider"], "provider_data": {"customer_id": customer_id}} | subject
        session_token = self.call("POST", "/v1/partner/identity/verification", body)["token"]
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = subject | {
            "session_token": session_token,
            "client_id": self.settings["client_id"],
            "redirect_uri": self.settings["redirect_uris"][0],
            "response_type": "code",
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self.settings['auth_url']}/login/oauth/authorize?{urlencode(query)}", state, verifier

    def connect(self, code: str, verifier: str, customer_id: str, user_id: str | None) -> Any:
        """Exchanges a code and returns its user. Stores the tokens only if the expected person authorized."""
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.settings["redirect_uris"][0],
            "code_verifier": verifier,
        }
        # Never retried: a second exchange of a code revokes the first one's tokens.
        issued = self.call("POST", "/v1/oauth/token", body)
        user = self.call("GET", "/v1/user", token=issued["access_token"])
        is_expected = user["id"] == user_id if user_id else customer_id_of(user) == customer_id
        if not is_expected:
            raise RefusedError(403, {"description": "Someone else authorized. Please try again."})
        # A refresh of the previous tokens may be running, and deletes them if it is refused.
        with self._locks[user["id"]]:
            self._save(user["id"], issued)
        return user

    def _save(self, user_id: str, issued: dict[str, Any]) -> str:
        now = time.time()
        pair = {"user_id": user_id, "saved_at": now, "expires_at": now + (issued.get("expires_in") or 7200)}
        self.store.put("pair", user_id, pair | {name: issued[name] for name in ("access_token", "refresh_token")})
        return issued["access_token"]

    def verify_webhook(self, headers: Any, body: bytes) -> dict[str, Any] | None:
        """Returns the event if the current or previous secret signed exactly these bytes recently, or None."""
        webhook_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
        if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > WEBHOOK_TOLERANCE_SECONDS:
            return None
        signed = f"{webhook_id}.{timestamp}.".encode() + body
        received = headers.get("webhook-signature", "").split()
        for secret in (self.settings["webhook_secret"], self.settings.get("previous_webhook_secret")):
            key = base64.b64decode((secret or "").removeprefix("whsec_"))
            if not key:
                continue
            expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
            if any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in received):
                return json.loads(body)
        return None


def customer_id_of(person: dict[str, Any]) -> str | None:
    """Our id of a user or user intent. Those created by another program may have no metadata."""
    return (person.get("metadata") or {}).get("customer_id")


def read_object(response: Any) -> dict[str, Any]:
    try:
        answer = json.load(response)
    except (OSError, HTTPException, ValueError):
        answer = None
    return answer if isinstance(answer, dict) else {}
