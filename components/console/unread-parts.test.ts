import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime.js";
import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Checks } from "./pages/checks.tsx";
import { Clock, duePath, jumpsPath, pathAfter } from "./pages/clock.tsx";
import { DrillPage } from "./pages/drill.tsx";
import { Drills } from "./pages/drills.tsx";
import { Faults } from "./pages/faults.tsx";
import { Keys } from "./pages/keys.tsx";
import { MoneyPage } from "./pages/money.tsx";
import { People } from "./pages/people.tsx";
import { Requests } from "./pages/requests.tsx";
import { Settings } from "./pages/settings.tsx";
import { Tokens } from "./pages/tokens.tsx";
import { answersPath, Webhooks } from "./pages/webhooks.tsx";

// The guarantee: where one part of a page could not be read, the page names the call that failed, says nothing of that part
// as if there were none, and shows all the rest.

const now = "2026-01-31T09:30:00Z";
const lastEvent = "7";
const jump = {
  ...{ id: "3", kind: "control", at: now, client_at: now, joins: [], trace_id: null, duration_ms: 1, method: "POST" },
  ...{ path: "/sandbox/clock/advance", status: 200, facts: {} },
};
const summary = { kept: 0, broken: 0, not_seen: 0, advice_broken: 0 };
const report = { client_id: "c", judged_at: now, events: 0, last_event: null, summary, rules: [] };
const drill = {
  ...{ id: "lost", title: "Lost", broken: "It is lost.", clauses: [], interface_says: "", good_client: "Asks." },
  ...{ steps: [{ call: { method: "POST", path: "/sandbox/webhooks/{webhook_id}/redeliver" } }], expect: [], proof: "" },
};
const endpoint = { url: null, disabled_at: null, failing_since: null, previous_secret_expires_at: null };
const settings = {
  ...{ client_id: "demo", provider: null, trusted_authentication: false, customers_url: null, redirect_uris: [] },
};

type Props = Record<string, unknown>;
/** A page with all its data; for each part the call that provides it, and a text that must not appear if that call fails. */
type Page = { page: FunctionComponent<never>; data: Props; parts: Record<string, [path: string, said: string]> };

const pages: Record<string, Page> = {
  requests: {
    page: Requests,
    data: { requests: { requests: [] }, search: "" },
    parts: { requests: ["/sandbox/requests", "Your app has not called yet."] },
  },
  keys: {
    page: Keys,
    data: { keys: { idempotency_keys: [] } },
    parts: { keys: ["/sandbox/idempotency_keys", "No key stands for anything yet."] },
  },
  settings: {
    page: Settings,
    data: { settings },
    parts: { settings: ["/sandbox/client", "Client id"] },
  },
  people: {
    page: People,
    data: {
      ...{ intents: { user_intents: [] }, users: { users: [] }, visits: { visits: [] } },
      ...{ phone: "+12025550123", texts: { messages: [] } },
    },
    parts: {
      intents: ["/sandbox/user_intents", "Your app has submitted nobody yet."],
      users: ["/sandbox/users", "<ul"],
      visits: ["/sandbox/visits", "Nobody has been on the authorization pages yet."],
      texts: ["/sandbox/messages?phone=%2B12025550123", "None has been sent."],
    },
  },
  tokens: {
    page: Tokens,
    data: { tokens: { now, tokens: [] }, users: { users: [] } },
    parts: { tokens: ["/sandbox/tokens", "Nothing has been issued yet"], users: ["/sandbox/users", ""] },
  },
  money: {
    page: MoneyPage,
    data: {
      ledger: { accounts: [], holds: [], entries: [], sum: 0, next: null },
      ...{ transfers: { transfers: [] }, users: { users: [] } },
    },
    parts: {
      ledger: ["/sandbox/ledger", "Balanced"],
      transfers: ["/sandbox/transfers", "Your app has paid nobody yet."],
      users: ["/sandbox/users", ""],
    },
  },
  webhooks: {
    page: Webhooks,
    data: { list: { endpoint, fault: null, webhooks: [], next: null }, answers: [] },
    parts: { list: ["/sandbox/webhooks", "No webhook yet"], answers: [answersPath, ""] },
  },
  faults: {
    page: Faults,
    data: { faults: { faults: [] }, choices: { operations: ["readUser"], statuses: [503] } },
    parts: { faults: ["/sandbox/faults", "Nothing: every call"], choices: ["/openapi.json", "Refuse them"] },
  },
  clock: {
    page: Clock,
    data: { clock: { now, offset_seconds: 0 }, due: { now, due: [] }, lastJump: null, sinceJump: [] },
    parts: {
      clock: ["/sandbox/clock", "real time</p>"],
      due: [duePath, "Nothing will."],
      lastJump: [jumpsPath, "The clock has not been moved."],
    },
  },
  "clock after a jump": {
    page: Clock,
    data: { clock: { now, offset_seconds: 0 }, due: { now, due: [] }, lastJump: jump, sinceJump: [] },
    parts: { sinceJump: [pathAfter({ id: "3" }), "Nothing yet."] },
  },
  drills: {
    page: Drills,
    data: { drills: { drills: [{ ...drill, expect: ["a-rule"] }] }, report },
    parts: { drills: ["/sandbox/drills", "1 drills"] },
  },
  "drills with what is known of their rules": {
    page: Drills,
    data: { drills: { drills: [{ ...drill, expect: ["a-rule"] }] }, report },
    parts: { report: ["/sandbox/checks", "not_seen"] },
  },
  "a drill that has begun": {
    page: DrillPage,
    data: { drill, after: "5", report, webhooks: { endpoint, fault: null, webhooks: [] } },
    parts: {
      report: ["/sandbox/checks?after=5", "What your app did"],
      webhooks: ["/sandbox/webhooks", "There is no webhook yet"],
    },
  },
  checks: {
    page: Checks,
    data: { report, drills: { drills: [] } },
    parts: { report: ["/sandbox/checks", "Nothing has been seen yet"], drills: ["/sandbox/drills", ""] },
  },
};

const unread = "This could not be read";

for (const [name, { page, data, parts }] of Object.entries(pages)) {
  test(`${name}: with everything read, nothing is said to be unread`, () => {
    const html = render(page, { ...data, lastEvent });
    expect(html).not.toContain(unread);
    for (const [, said] of Object.values(parts)) expect(html).toContain(said);
  });

  test.each(Object.entries(parts))(`${name}: without its %s`, (part, [path, said]) => {
    const html = render(page, { ...data, lastEvent, [part]: undefined });
    expect(html).toContain(unread);
    expect(html).toContain(`GET ${path.replaceAll("&", "&amp;")}</code>`);
    if (said) expect(html).not.toContain(said);
    const others = Object.entries(parts).filter(([other]) => other !== part);
    for (const [, [, otherSaid]] of others) expect(html).toContain(otherSaid);
  });

  test(`${name}: without its newest event it is not live, and says so`, () => {
    const html = render(page, { ...data, lastEvent: undefined });
    expect(html).toContain("Not live");
    for (const [, said] of Object.values(parts)) expect(html).toContain(said);
  });
}

function render(page: FunctionComponent<never>, props: Props): string {
  const router = { refresh: () => undefined };
  const inside = createElement(page as FunctionComponent<Props>, props);
  return renderToStaticMarkup(createElement(AppRouterContext.Provider, { value: router as never }, inside));
}
