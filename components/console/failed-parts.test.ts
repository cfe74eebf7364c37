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
import { personCallsPath, Requests } from "./pages/requests.tsx";
import { Settings } from "./pages/settings.tsx";
import { Tokens } from "./pages/tokens.tsx";
import { answersPath, Webhooks } from "./pages/webhooks.tsx";

// If one part of a page fails to load, the page names the failed call, doesn't present that part as empty, and shows the rest.

const now = "2026-01-31T09:30:00Z";
const lastEvent = "7";
const query = new URLSearchParams();
const jump = {
  ...{ id: "3", kind: "control", at: now, client_at: now, joins: [], trace_id: null, duration_ms: 1, method: "POST" },
  ...{ operation: "advanceClock", path: "/sandbox/clock/advance", status: 200, facts: {} },
};
const summary = { kept: 0, broken: 0, not_seen: 0, advice_broken: 0 };
const report = { client_id: "c", judged_at: now, events: 0, last_event: lastEvent, summary, rules: [] };
const drill = {
  ...{ id: "lost", title: "Lost", broken: "It is lost.", clauses: [], interface_says: "", good_client: "Asks." },
  ...{ steps: [{ call: { method: "POST", path: "/sandbox/webhooks/{webhook_id}/redeliver" } }], expect: [], proof: "" },
};
const endpoint = { url: null, disabled_at: null, failing_since: null, previous_secret_expires_at: null };
const settings = {
  ...{ client_id: "demo", provider: null, trusted_authentication: false, customers_url: null, redirect_uris: [] },
};

type Props = Record<string, unknown>;
/** A page with its data; for each part, its call and a text that must not appear if that call fails. */
type Page = { page: FunctionComponent<never>; data: Props; parts: Record<string, [path: string, text: string]> };

const pages: Record<string, Page> = {
  requests: {
    page: Requests,
    data: { requests: { requests: [] }, people: [], ofPerson: null, query },
    parts: { requests: ["/sandbox/requests", "No calls yet."], people: ["/sandbox/user_intents", ""] },
  },
  "requests of a person": {
    page: Requests,
    data: { requests: { requests: [] }, people: [], ofPerson: [], query: new URLSearchParams("person=user:1") },
    parts: { ofPerson: [personCallsPath("user:1"), "No calls match."] },
  },
  keys: {
    page: Keys,
    data: { keys: { idempotency_keys: [] } },
    parts: { keys: ["/sandbox/idempotency_keys", "No keys used yet."] },
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
      ...{ texts: { messages: [] }, query: new URLSearchParams({ phone: "+12025550123" }) },
    },
    parts: {
      intents: ["/sandbox/user_intents", "No intents yet."],
      users: ["/sandbox/users", "<ul"],
      visits: ["/sandbox/visits", "No visits yet."],
      texts: ["/sandbox/messages?phone=%2B12025550123", "No texts yet."],
    },
  },
  tokens: {
    page: Tokens,
    data: { tokens: { now, tokens: [] }, users: { users: [] } },
    parts: { tokens: ["/sandbox/tokens", "No tokens yet"], users: ["/sandbox/users", ""] },
  },
  money: {
    page: MoneyPage,
    data: {
      ledger: { accounts: [], holds: [], entries: [], sum: 0, next: null },
      ...{ transfers: { transfers: [] }, users: { users: [] }, query },
    },
    parts: {
      ledger: ["/sandbox/ledger", "Balanced"],
      transfers: ["/sandbox/transfers", "No payments yet."],
      users: ["/sandbox/users", ""],
    },
  },
  webhooks: {
    page: Webhooks,
    data: { list: { endpoint, fault: null, webhooks: [], next: null }, answers: [], now: Date.parse(now), query },
    parts: { list: ["/sandbox/webhooks", "No webhooks yet"], answers: [answersPath, "No attempts yet"] },
  },
  faults: {
    page: Faults,
    data: { faults: { faults: [] }, choices: { operations: ["readUser"], statuses: [503] } },
    parts: { faults: ["/sandbox/faults", "No faults set. Every call"], choices: ["/openapi.json", "Refuse calls"] },
  },
  clock: {
    page: Clock,
    data: { clock: { now, offset_seconds: 0 }, due: { now, due: [] }, lastJump: null, sinceJump: { events: [] } },
    parts: {
      clock: ["/sandbox/clock", "real time</p>"],
      due: [duePath, "Nothing is due."],
      lastJump: [jumpsPath, "No move of the clock is on record."],
    },
  },
  "clock after a jump": {
    page: Clock,
    data: { clock: { now, offset_seconds: 0 }, due: { now, due: [] }, lastJump: jump, sinceJump: { events: [] } },
    parts: { sinceJump: [pathAfter({ id: "3" }), "No events yet."] },
  },
  drills: {
    page: Drills,
    data: { drills: { drills: [{ ...drill, expect: ["a-rule"] }] }, report },
    parts: { drills: ["/sandbox/drills", "1 drills"] },
  },
  "drills with rule states": {
    page: Drills,
    data: { drills: { drills: [{ ...drill, expect: ["a-rule"] }] }, report },
    parts: { report: ["/sandbox/checks", "not_seen"] },
  },
  "a started drill": {
    page: DrillPage,
    data: { drill, after: "5", report, webhooks: { endpoint, fault: null, webhooks: [] } },
    parts: {
      report: ["/sandbox/checks?after=5", "What your app did"],
      webhooks: ["/sandbox/webhooks", "No webhook yet"],
    },
  },
  checks: {
    page: Checks,
    data: { report, drills: { drills: [] } },
    parts: { report: ["/sandbox/checks", "Nothing recorded yet"], drills: ["/sandbox/drills", ""] },
  },
};

const failure = "Couldn’t load this part";

for (const [name, { page, data, parts }] of Object.entries(pages)) {
  test(`${name}: with all data loaded, shows no load error`, () => {
    const html = render(page, { ...data, lastEvent });
    expect(html).not.toContain(failure);
    for (const [, text] of Object.values(parts)) expect(html).toContain(text);
  });

  test.each(Object.entries(parts))(`${name}: without %s`, (part, [path, text]) => {
    const html = render(page, { ...data, lastEvent, [part]: undefined });
    expect(html).toContain(failure);
    expect(html).toContain(`GET ${path.replaceAll("&", "&amp;")}</code>`);
    if (text) expect(html).not.toContain(text);
    const others = Object.entries(parts).filter(([other]) => other !== part);
    for (const [, [, otherText]] of others) expect(html).toContain(otherText);
  });

  test(`${name}: shows "Not live" without the newest event`, () => {
    const html = render(page, { ...data, lastEvent: undefined });
    expect(html).toContain("Not live");
    for (const [, text] of Object.values(parts)) expect(html).toContain(text);
  });
}

test("without a person's calls, names no other call", () => {
  const html = render(Requests, { requests: { requests: [] }, people: [], ofPerson: undefined, lastEvent });
  expect(html.split(failure)).toHaveLength(2);
});

test("the first events since a jump link to the later ones, if there are any", () => {
  const clock = { clock: { now, offset_seconds: 0 }, due: { now, due: [] }, lastJump: jump, lastEvent };
  const since = (later_exist: boolean) => ({ ...clock, sinceJump: { events: [{ ...jump, id: "4" }], later_exist } });
  expect(render(Clock, since(true))).toContain('/console?event=4">Show what followed');
  expect(render(Clock, since(false))).not.toContain("Show what followed");
});

function render(page: FunctionComponent<never>, props: Props): string {
  const router = { refresh: () => undefined };
  const inside = createElement(page as FunctionComponent<Props>, { query, ...props });
  return renderToStaticMarkup(createElement(AppRouterContext.Provider, { value: router as never }, inside));
}
