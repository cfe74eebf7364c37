"""A shop that pays its sellers through Plainbook: `python3 shop.py settings.json`. README.md says how to start it."""

import hashlib
import json
import os
import re
import secrets
import sqlite3
import sys
import threading
import time
import uuid
from collections import defaultdict
from datetime import UTC, datetime
from decimal import Decimal
from hmac import compare_digest
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from plainbook import NotConnectedError, Plainbook, RefusedError, UnknownOutcomeError, customer_id_of

BUSINESS = "business"
FIELDS = "first_name last_name date_of_birth ssn phone email address1 city state postal_code".split()
# A payment with any other status is open, even a status that we don't know.
ENDED = ("completed", "failed", "cancelled")
NOT_MADE = "not made: "
DECIDED = ("approved", "rejected")
BODY_BYTES_MAX = 64 * 1024
JOBS_EVERY_SECONDS = 30


class BadFormError(Exception):
    """A message for the person who submitted the form."""


class Form(dict):
    def __missing__(self, name):
        raise BadFormError(f"Please fill in {name.replace('_', ' ')}.")

    def key(self):
        """The form's own id: the same each time the form is submitted."""
        try:
            return str(uuid.UUID(self["key"]))
        except ValueError:
            raise BadFormError("Please reload the page and try again.") from None

    def amount(self):
        text = self["amount"].strip()
        amount = Decimal(text if re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,2})?", text) else 0)
        if not 0 < amount <= 1_000_000:
            raise BadFormError("Enter an amount in dollars and cents, such as 10.00.")
        # JSON numbers are floats. Send this one unchanged; calculate in cents or Decimal.
        return float(amount)


class Store:
    """Documents by kind and id, in SQLite. Encrypt the tokens outside a sandbox."""

    def __init__(self, path):
        self.lock = threading.RLock()
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._run("CREATE TABLE IF NOT EXISTS documents (kind TEXT, id TEXT, document TEXT, PRIMARY KEY (kind, id))")

    def get(self, kind, id):
        return next(iter(self._run("SELECT document FROM documents WHERE kind = ? AND id = ?", kind, id)), None)

    def all(self, kind):
        return self._run("SELECT document FROM documents WHERE kind = ? ORDER BY rowid", kind)

    def put(self, kind, id, document):
        statement = "INSERT INTO documents VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET document = excluded.document"
        self._run(statement, kind, id, json.dumps(document))

    def add(self, kind, id, document):
        """Adds a document if there is none, and returns whether it did."""
        statement = "INSERT INTO documents VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING document"
        return bool(self._run(statement, kind, id, json.dumps(document)))

    def take(self, kind, id):
        """Deletes a document and returns it. Only one caller gets it."""
        taken = self._run("DELETE FROM documents WHERE kind = ? AND id = ? RETURNING document", kind, id)
        return next(iter(taken), None)

    def change(self, kind, id, **fields):
        with self.lock:
            self.put(kind, id, self.get(kind, id) | fields)

    def _run(self, statement, *values):
        with self.lock:
            return [json.loads(document) for (document,) in self._connection.execute(statement, values)]


class Shop:
    def __init__(self, settings):
        self.settings = settings
        self.store = Store(settings.get("data", "shop.db"))
        self.service = Plainbook(settings, self.store)
        self.business_id = settings["business_user_id"]
        self.has_work = threading.Event()
        self._payment_locks = defaultdict(threading.Lock)
        self._reading_locks = defaultdict(threading.Lock)
        owner = {"id": BUSINESS, "first_name": "The", "last_name": "Shop", "status": "approved"}
        self.store.add("customer", BUSINESS, owner)
        self.store.change("customer", BUSINESS, user_id=self.business_id, phone=settings["business_user_phone"])

    def sign_in(self, customer_id):
        """Starts a session for a person who has just authenticated. Your sign-in requires a second factor."""
        session = secrets.token_urlsafe(32)
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.store.change("customer", customer_id, authenticated_at=now)
        self.store.put("session", session, {"customer_id": customer_id})
        return session

    def sign_up(self, form, ip_address):
        """Registers a person. Submitting the form again creates no second intent."""
        key = form.key()
        customer_id = hashlib.sha256(key.encode()).hexdigest()[:32]
        person = {field: form[field].strip() for field in FIELDS}
        # Only our own id: never put what people type into metadata.
        intent = person | {"ip_address": ip_address, "metadata": {"customer_id": customer_id}}
        created = self.service.call("POST", "/v1/user_intent", intent, key=key)
        kept = {name: person[name] for name in ("first_name", "last_name", "phone")}
        known = {"intent_id": created["id"], "status": created["status"], "user_id": None, "read_at": time.time()}
        self.store.add("customer", customer_id, kept | {"id": customer_id} | known)
        # Its webhook may have arrived first.
        self.sync_intent(created["id"])
        return customer_id

    def sync_intent(self, intent_id):
        """Stores an intent's status. The lock keeps an older answer from replacing a newer one."""
        with self._reading_locks[intent_id]:
            intent = self.service.call("GET", f"/v1/user_intent/{intent_id}")
            with self.store.lock:
                customer = self.store.get("customer", customer_id_of(intent))
                # Once the person has authorized, the user's status counts.
                if customer and not customer["user_id"]:
                    self.store.change("customer", customer["id"], status=intent["status"])

    def sync_user(self, user_id):
        """Stores a user's status, unknown once disconnected, and once it exists, the account to pay."""
        with self._reading_locks[user_id]:
            try:
                fields = {"status": self.service.call_as(user_id, "GET", "/v1/user")["status"]}
                accounts = self.accounts(user_id)
                if accounts:
                    fields["account_id"] = accounts[0]["id"]
            except NotConnectedError:
                fields = {"status": "unknown"}
            for customer in self.store.all("customer"):
                if customer["user_id"] == user_id:
                    self.store.change("customer", customer["id"], **fields)

    def start_visit(self, session, customer):
        user_id = customer["user_id"]
        subject = {"user_id": user_id} if user_id else {"user_intent_id": customer["intent_id"]}
        address, state, verifier = self.service.start_visit(customer["id"], subject)
        self.store.put("visit", state, {"session": session, "verifier": verifier})
        return address

    def finish_visit(self, session, customer, query):
        """Handles the redirect back: once, from this service, in the same browser session."""
        visit = self.store.take("visit", query.get("state"))
        if visit is None or visit["session"] != session or query.get("iss") != self.settings["base_url"]:
            raise RefusedError(400, {"description": "We can't match this to a request from you."})
        if "code" not in query:
            raise RefusedError(403, {"description": "You didn't authorize the shop."})
        user = self.service.connect(query["code"], visit["verifier"], customer["id"], customer["user_id"])
        self.store.change("customer", customer["id"], user_id=user["id"])
        self.sync_user(user["id"])

    def disconnect(self, customer):
        self.service.disconnect(customer["user_id"])
        self.sync_customer(customer)

    def accounts(self, user_id):
        return self.service.call_as(user_id, "GET", "/v1/accounts")["accounts"]

    def sellers(self):
        """The customers who can be paid, by id: approved, with an account."""
        return {
            customer["id"]: customer
            for customer in self.store.all("customer")
            if customer["id"] != BUSINESS and customer["status"] == "approved" and "account_id" in customer
        }

    def pay(self, form):
        """Stores a payment before sending it. Its key is the form's, so submitting the form again pays once."""
        key, amount = form.key(), form.amount()
        business = self.store.get("customer", BUSINESS)
        seller = self.sellers().get(form["customer_id"])
        if seller is None:
            raise BadFormError("Choose an approved seller who authorized the shop.")
        if "account_id" not in business:
            raise NotConnectedError
        body = {
            # The name contains the key, so the service's list identifies a payment whose answer was lost.
            "name": f"Payout {key}",
            "amount": amount,
            "source_id": business["account_id"],
            "destination_id": seller["account_id"],
        }
        payment = {"key": key, "seller": seller["first_name"], "body": body, "status": "unknown"}
        # Check the connection before storing, or a job would send the payment later.
        self.service.access_token(self.business_id)
        if self.store.add("payment", key, payment):
            run(f"Payment {key}", self.send, key)

    def send(self, key):
        """Sends a payment that has no routine yet, always with the same key."""
        with self._payment_locks[key]:
            payment = self.store.get("payment", key)
            # The service may use the word "unknown" too.
            is_unknown = payment["status"] == "unknown" and "routine_id" not in payment
            if not is_unknown or payment.get("not_before", 0) > time.time():
                return
            try:
                self.book_or_void(payment["body"], key)
            except UnknownOutcomeError as unknown:
                # A job sends it again.
                self.store.change("payment", key, not_before=time.time() + unknown.retry_after)

    def book_or_void(self, body, key):
        try:
            self.update_payment(self.book("", body, key))
        except RefusedError as refusal:
            # An earlier try may have succeeded. Voiding the key returns its routine, or rules it out.
            voided = self.book("/void", None, key)
            if voided["routine"]:
                self.update_payment(voided["routine"])
            else:
                self.store.change("payment", key, status=f"{NOT_MADE}{refusal}")

    def book(self, path, body, key):
        return self.service.call_as(self.business_id, "POST", f"/v1/routines/book{path}", body, key=key)

    def update_payment(self, routine):
        """Copies a routine's status to its payment. A final status never changes."""
        key, status = key_of(routine), routine["status"]
        if not isinstance(status, str) or not status:
            raise ValueError("it has no status")
        with self.store.lock:
            payment = self.store.get("payment", key)
            if payment is None:
                print(f"Routine {routine['id']} isn't one of our payments. Investigate it.", file=sys.stderr)
            elif is_open(payment):
                self.store.change("payment", key, status=status, routine_id=routine["id"])

    def read_open_payments(self):
        """Reads the service's list, newest first, until each open payment is found. Returns the missing keys."""
        missing = {payment["key"] for payment in self.store.all("payment") if is_open(payment)}
        path = "/v1/routines?limit=100"
        while missing and path:
            page = self.read_as_business(path)
            for routine in page["routines"]:
                missing.discard(key_of(routine))
                run(f"Routine {routine.get('id')}", self.update_payment, routine)
            path = page["next"] and f"/v1/routines?limit=100&starting_after={page['next']}"
        return missing

    def settle_payments(self):
        """Sends what the list lacks. The list comes first: the service may forget a key after 72 hours."""
        for key in self.read_open_payments():
            run(f"Payment {key}", self.send, key)

    def read_people(self):
        """Reads each person once an hour, because webhooks can get lost."""
        read_before = time.time() - self.settings.get("read_people_after_minutes", 60) * 60
        for customer in self.store.all("customer"):
            if customer.get("read_at", 0) <= read_before:
                run(f"Customer {customer['id']}", self.read_person, customer)

    def read_person(self, customer):
        self.sync_customer(customer)
        self.store.change("customer", customer["id"], read_at=time.time())

    def sync_customer(self, customer):
        """Reads the user, or before the person has authorized, an intent without a decision."""
        try:
            if customer["user_id"]:
                self.sync_user(customer["user_id"])
            elif customer["status"] not in DECIDED:
                self.sync_intent(customer["intent_id"])
        except RefusedError as refusal:
            print(f"Customer {customer['id']} wasn't read: {refusal}", file=sys.stderr)

    def store_webhook(self, event):
        """Stores a verified webhook, once. A job reads its record after we have answered."""
        if self.store.add("webhook", event["webhook_id"], event | {"is_done": False}):
            self.has_work.set()

    def process_webhook(self, event):
        """Reads the record, because webhooks arrive in any order and carry no status."""
        record_id = event["resource_id"]
        try:
            match event["webhook_type"]:
                case "user_intent_updated":
                    self.sync_intent(record_id)
                case "user_updated":
                    self.sync_user(event["user_id"])
                case "routine_updated":
                    self.update_payment(self.read_as_business(f"/v1/routines/{record_id}"))
                case "transfer_updated":
                    transfer = self.read_as_business(f"/v1/transfers/{record_id}")
                    self.update_payment(self.read_as_business(f"/v1/routines/{transfer['routine_id']}"))
        except (RefusedError, NotConnectedError) as error:
            print(f"Webhook {event['webhook_id']} changed nothing: {error!r}", file=sys.stderr)
        self.store.change("webhook", event["webhook_id"], is_done=True)

    def read_as_business(self, path):
        return self.service.call_as(self.business_id, "GET", path)

    def process_webhooks(self):
        for event in self.store.all("webhook"):
            if not event["is_done"]:
                run(f"Webhook {event['webhook_id']}", self.process_webhook, event)

    def renew(self):
        for pair in self.service.idle_pairs(self.settings.get("renew_after_days", 7)):
            run(f"Renewal of user {pair['user_id']}", self.service.refresh, pair["user_id"], pair["access_token"])

    def run_jobs(self):
        while True:
            for job in (self.process_webhooks, self.settle_payments, self.read_people, self.renew):
                run(f"Job {job.__name__}", job)
            self.has_work.wait(JOBS_EVERY_SECONDS)
            self.has_work.clear()


def run(name, job, *values):
    """Runs a job or a part of one. A failure is retried in the next round and doesn't block the others."""
    try:
        return job(*values)
    except Exception as error:
        print(f"{name} failed and will be retried: {error!r}", file=sys.stderr)


def key_of(routine):
    return str(routine.get("name")).removeprefix("Payout ")


def is_open(payment):
    return payment["status"] not in ENDED and not payment["status"].startswith(NOT_MADE)


class Handler(BaseHTTPRequestHandler):
    shop: Shop
    # Seconds until a connection that sends nothing is closed.
    timeout = 10

    def do_GET(self):
        pages = {"/": self.home, "/callback": self.callback, "/accounts": self.accounts, "/payments": self.payments}
        if self.path.startswith("/v1/customers/"):
            self.send_customer(unquote(self.path.removeprefix("/v1/customers/")))
        else:
            self.answer(pages.get(urlsplit(self.path).path, self.not_found))

    def do_POST(self):
        length = self.headers.get("content-length", "0")
        if not re.fullmatch("[0-9]{1,9}", length):
            return self.respond(400)
        if int(length) > BODY_BYTES_MAX:
            return self.respond(413)
        self.body = self.rfile.read(int(length))
        if self.path == "/webhooks":
            return self.receive_webhook()
        self.form = Form(parse_qsl(self.body.decode(errors="replace")))
        actions = {
            "/sign-up": self.sign_up,
            "/sign-in": self.sign_in,
            "/authorize": self.authorize,
            "/disconnect": self.disconnect,
            "/payments": self.pay,
        }
        self.answer(actions.get(self.path, self.not_found))

    def answer(self, handle):
        """Runs a page or an action for the signed-in customer, and turns errors into pages."""
        cookie = SimpleCookie(self.headers.get("cookie", "")).get("session")
        self.session = cookie.value if cookie else ""
        signed_in = self.shop.store.get("session", self.session)
        self.customer = signed_in and self.shop.store.get("customer", signed_in["customer_id"])
        try:
            handle()
        except BadFormError as error:
            self.page(400, "Please check the form", f"<p>{escape(str(error))}</p>")
        except RefusedError as refusal:
            self.page(refusal.status, "That didn't work", f"<p>{escape(str(refusal))}</p>{AUTHORIZE}")
        except NotConnectedError:
            self.page(403, "The connection has ended", f"<p>Please authorize the shop again.</p>{AUTHORIZE}")
        except UnknownOutcomeError:
            text = "<p>Please go back and try again. Nothing is done twice.</p>"
            self.page(503, "The payment service didn't answer", text)

    def home(self):
        if self.customer is None:
            inputs = "".join(field_input(field) for field in FIELDS)
            sign_up = f"<form method=post action=/sign-up>{new_key()}{inputs}<button>Sign up</button></form>"
            password = field_input("password", "password")
            sign_in = f"<h2>Office</h2><form method=post action=/sign-in>{password}<button>Sign in</button></form>"
            self.page(200, "Sell at The Shop", sign_up + sign_in)
        else:
            name, status = escape(self.customer["first_name"]), escape(self.customer["status"])
            self.page(200, f"Hello, {name}", f"<p>Your status: {status}.</p>{AUTHORIZE}{LINKS}")

    def sign_up(self):
        self.start_session(self.shop.sign_up(self.form, self.client_address[0]))

    def sign_in(self):
        if not compare_digest(self.form["password"].encode(), self.shop.settings["office_password"].encode()):
            raise RefusedError(403, {"description": "That password is wrong."})
        self.start_session(BUSINESS)

    def start_session(self, customer_id):
        # SameSite keeps other sites' forms out. Add Secure behind HTTPS.
        cookie = f"session={self.shop.sign_in(customer_id)}; HttpOnly; SameSite=Lax; Path=/"
        self.respond(303, location="/", set_cookie=cookie)

    def authorize(self):
        self.respond(303, location=self.shop.start_visit(self.session, self.signed_in()))

    def callback(self):
        self.shop.finish_visit(self.session, self.signed_in(), dict(parse_qsl(urlsplit(self.path).query)))
        self.respond(303, location="/accounts")

    def accounts(self):
        rows = [
            f"<tr><td>{escape(account['name'])}<td>${account['available_balance']:,.2f}"
            for account in self.shop.accounts(self.signed_in()["user_id"])
        ]
        table = f"<table>{''.join(rows)}</table>" if rows else NO_ACCOUNT
        self.page(200, "Accounts", f"{table}{AUTHORIZE}{DISCONNECT}")

    def disconnect(self):
        self.shop.disconnect(self.signed_in())
        self.page(200, "You disconnected the shop", AUTHORIZE)

    def pay(self):
        self.signed_in(BUSINESS)
        self.shop.pay(self.form)
        self.respond(303, location="/payments")

    def payments(self):
        self.signed_in(BUSINESS)
        notice = ""
        try:
            self.shop.read_open_payments()
        except UnknownOutcomeError:
            notice = OUTDATED
        except (RefusedError, NotConnectedError):
            notice = OUTDATED + AUTHORIZE
        rows = "".join(
            f"<tr><td>{escape(payment['seller'])}<td>${payment['body']['amount']:,.2f}<td>{escape(payment['status'])}"
            for payment in self.shop.store.all("payment")
        )
        options = "".join(
            f"<option value={customer['id']}>{escape(customer['first_name'])} {escape(customer['last_name'])}"
            for customer in self.shop.sellers().values()
        )
        seller = f"<label>Seller <select name=customer_id>{options}</select></label>"
        amount = field_input("amount")
        form = f"<form method=post action=/payments>{new_key()}{seller}{amount}<button>Pay</button></form>"
        self.page(200, "Payments", f"{notice}{form}<table>{rows}</table>")

    def signed_in(self, customer_id=None):
        if self.customer is None or customer_id not in (None, self.customer["id"]):
            raise RefusedError(403, {"description": "Please sign in."})
        return self.customer

    def send_customer(self, customer_id):
        """Called by the service for trusted authentication, before it answers our verification request."""
        expected = f"Bearer {self.shop.settings['customer_endpoint_secret']}"
        if not compare_digest(self.headers.get("authorization", "").encode(), expected.encode()):
            return self.respond(401)
        customer = self.shop.store.get("customer", customer_id)
        if customer is None or "authenticated_at" not in customer:
            return self.respond(404)
        record = {name: customer[name] for name in ("first_name", "last_name", "phone")}
        record |= {"customer_id": customer_id, "lastAuthenticationTime": customer["authenticated_at"]}
        self.respond(200, json.dumps(record), content_type="application/json")

    def receive_webhook(self):
        event = self.shop.service.verify_webhook(self.headers, self.body)
        if event is None:
            return self.respond(401)
        self.shop.store_webhook(event)
        self.respond(204)

    def not_found(self):
        self.page(404, "Page not found", LINKS)

    def page(self, status, title, content):
        self.respond(status, f"{HEAD}<title>{title}</title><h1>{title}</h1>{content}")

    def respond(self, status, text="", content_type="text/html; charset=utf-8", **headers):
        body = text.encode()
        self.send_response(status)
        headers |= {"content_type": content_type, "content_length": str(len(body)), "cache_control": "no-store"}
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code="-", size="-"):
        """Logs no requests, because the callback's URL contains the code."""


HEAD = """<!doctype html><html lang=en><meta name=viewport content="width=device-width">
<style>body { font: 1rem/1.5 sans-serif; margin: 1rem } label { display: block } td { padding-right: 1rem }</style>"""
OUTDATED = "<p>We can't update these payments right now. This page may be out of date.</p>"
AUTHORIZE = "<form method=post action=/authorize><button>Authorize the shop</button></form>"
DISCONNECT = "<form method=post action=/disconnect><button>Disconnect</button></form>"
NO_ACCOUNT = "<p>You have no account yet. It opens when you're approved.</p>"
LINKS = "<p><a href=/accounts>Accounts</a> <a href=/payments>Payments</a>"


def field_input(name, kind="text"):
    return f"<label>{name.replace('_', ' ').capitalize()} <input name={name} type={kind} required></label>"


def new_key():
    return f"<input type=hidden name=key value={uuid.uuid4()}>"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 shop.py settings.json")
    settings = json.loads(Path(sys.argv[1]).read_text())
    if not settings.get("office_password"):
        sys.exit(f'Add "office_password" to {sys.argv[1]}.')
    # Only this user can read the data.
    os.umask(0o077)
    Handler.shop = Shop(settings)
    threading.Thread(target=Handler.shop.run_jobs, daemon=True).start()
    address = urlsplit(Handler.shop.settings["redirect_uris"][0])
    server = ThreadingHTTPServer((address.hostname, address.port), Handler)
    print(f"The shop is open at {address.scheme}://{address.netloc}", flush=True)
    server.serve_forever()
