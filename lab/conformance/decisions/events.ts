import { randomUUID } from "node:crypto";
import { limits } from "../../../lib/contract/limits.ts";
import { eventPage, type SandboxEvent } from "../../../lib/contract/sandbox-events.ts";
import type { Check } from "../check.ts";
import { must, NotReached } from "../findings.ts";
import type { Client } from "../world/client.ts";
import type { Exchange } from "../world/exchange.ts";
import {
  authorize,
  createIntent,
  exchangeCode,
  newIntentFields,
  onboard,
  readUser,
  refreshTokens,
  tokensOf,
} from "../world/people.ts";
import { findText } from "../world/read-answer.ts";
import { readStream } from "../world/read-stream.ts";
import { readUntil } from "../world/until.ts";
import type { World } from "../world/world.ts";
import { decisionsThatNeed, fits } from "./decision.ts";

const decision = decisionsThatNeed("control", "pages", "clock");

const day = 24 * 60 * 60;
const kinds = ["call", "control", "customer", "delivery", "visit"];

/** D16 and D20: the sandbox's event log, with their own client, in this order. */
export const eventDecisions: Check[] = [
  decision("D16.12", "Events come in pages and as a stream.", async (world) => {
    const { client } = await journey(world);
    fits(eventPage, await client.control("GET", "/sandbox/events"));
    const { type } = await readStream(world.settings, client, "/sandbox/events/stream");
    must(type.startsWith("text/event-stream"), `The stream's type is ${type || "missing"}.`);
  }),
  decision(
    "D20.1",
    "API calls, steps, customer calls, webhook attempts, and sandbox calls are recorded, dead tokens included.",
    async (world) => {
      const { events, exchange } = await journey(world);
      const found = [...new Set(events.map(({ kind }) => kind))].sort();
      must(found.join() === kinds.join(), `Recorded: ${found.join()}.`, exchange);
      const dead = events.some((event) => event.kind === "call" && event.reason === "token_expired");
      must(dead, "The call with an expired token isn't recorded.", exchange);
    },
  ),
  decision(
    "D20.2",
    "Events contain no secret, SSN, birth date, or address; secrets appear as fingerprints.",
    async (world) => {
      const { exchange, events, secrets } = await journey(world);
      const leaked = Object.keys(secrets).filter((name) => exchange.answer.text.includes(secrets[name] ?? ""));
      // The evidence leaves out the page, which must not be shown.
      must(leaked.length === 0, `Events show ${leaked.join(", ")}.`);
      const calls = events.flatMap((event) => (event.kind === "call" ? [event] : []));
      const issued = calls.flatMap(({ facts }) => facts.issued?.access_token ?? []);
      const used = calls.flatMap(({ facts }) => facts.access_token ?? []);
      const isRecognized =
        issued.every((print) => /^[0-9a-f]{16}$/.test(print)) && used.some((print) => issued.includes(print));
      must(isRecognized, "A token doesn't have a stable 16-digit hex fingerprint.", exchange);
    },
  ),
  decision("D20.3", "Events record their faults.", async (world) => {
    const { client } = await journey(world);
    const since = await lastEventId(client);
    await client.control("PUT", "/sandbox/webhook_faults", { kind: "drop", times: 1 });
    await onboard(client);
    await client.control("PUT", "/sandbox/faults", { operation: "createUserIntent", status: 503, times: 1 });
    await createIntent(client, newIntentFields());
    await client.control("PUT", "/sandbox/faults", { operation: "createUserIntent", cut: "after", times: 1 });
    await createIntent(client, newIntentFields()).catch(() => undefined);
    const { events, exchange } = await eventsOf(
      client,
      `after=${since}`,
      (all) => all.some(isUnanswered) && all.some(isDropped),
    );
    must(events.some(isRefusedOnPurpose), "A call refused by a fault doesn't record it.", exchange);
    must(events.some(isUnanswered), "A call without an answer doesn't record it.", exchange);
    must(events.some(isDropped), "A dropped webhook isn't recorded as dropped.", exchange);
  }),
  decision("D20.4", "One id finds a person's whole journey.", async (world) => {
    const { client, intentId } = await journey(world);
    const { events, exchange } = await eventsOf(client, `join=intent:${intentId}`);
    const found = events.flatMap((event) => {
      if (event.kind === "call") return [event.facts.grant_type ?? event.operation];
      return event.kind === "visit" ? [event.step] : [event.kind];
    });
    const expected = [
      "createUserIntent",
      "delivery",
      "customer",
      "opened",
      "authorized",
      "authorization_code",
      "refresh_token",
    ];
    const missing = expected.filter((step) => !found.includes(step));
    must(missing.length === 0, `The intent's id doesn't find ${missing.join(", ")}.`, exchange);
  }),
  decision("D20.5", "An event has the real time and its client's time when it happened.", async (world) => {
    const { client, events } = await journey(world);
    const since = await lastEventId(client);
    await client.advanceClock(day);
    await createIntent(client, newIntentFields());
    const isIntent = (event: SandboxEvent) => event.kind === "call";
    const later = await eventsOf(client, `after=${since}`, (all) => all.some(isIntent));
    const [before, after] = [events.find(isIntent), later.events.find(isIntent)];
    if (!before || !after) throw new NotReached("The events of two calls weren't found.", later.exchange);
    const aheadOf = (event: SandboxEvent) => Math.round((Date.parse(event.client_time) - Date.parse(event.at)) / 1000);
    const isBoth = aheadOf(before) === 0 && Math.abs(aheadOf(after) - day) <= 1;
    must(isBoth, `The clock was ahead by ${aheadOf(before)} s, then by ${aheadOf(after)} s.`, later.exchange);
  }),
  decision(
    "D20.6",
    "Pages leave no gaps, the stream resumes after an event, and each client sees only its own events.",
    async (world) => {
      const { client } = await journey(world);
      const first = await eventsOf(client, "after=0&limit=2");
      must(
        first.events.length === 2 && first.hasLater,
        "A page of two has the wrong size or no next page.",
        first.exchange,
      );
      const [oldest, second] = first.events;
      const next = await eventsOf(client, `after=${oldest?.id}&limit=1`);
      must(
        next.events[0]?.id === second?.id && next.hasEarlier,
        "The page after an event starts with the wrong event.",
        next.exchange,
      );
      const before = await eventsOf(client, `before=${second?.id}&limit=1`);
      must(before.events[0]?.id === oldest?.id, "The page before an event ends with the wrong event.", before.exchange);
      const calls = await eventsOf(client, "kind=visit");
      must(
        calls.events.every(({ kind }) => kind === "visit"),
        "The filter returned events of other kinds.",
        calls.exchange,
      );
      const stream = await readStream(world.settings, client, `/sandbox/events/stream?after=${oldest?.id}`);
      must(stream.firstId === second?.id, "The stream doesn't resume after the given event.");
      const others = await eventsOf(await world.freshClient(), "after=0");
      const isOwn = !others.events.some(({ id }) => id === oldest?.id);
      must(isOwn, "Another client's events are shown.", others.exchange);
    },
  ),
];

const isRefusedOnPurpose = (event: SandboxEvent) =>
  event.kind === "call" && event.status === 503 && event.facts.is_faulted;
const isUnanswered = (event: SandboxEvent) => event.kind === "call" && event.status === null && event.facts.is_faulted;
const isDropped = (event: SandboxEvent) => event.kind === "delivery" && event.facts.fault === "drop";

/** A user's journey from the intent to an expired token, with its recorded events. */
function journey(world: World) {
  return world.once("journey that is seen", async () => {
    const client = await world.freshClient();
    const customer = `customer-${randomUUID()}`;
    const person = await onboard(client, { metadata: { customer_id: customer } });
    if (!(await client.mailbox.waitFor(() => true))) throw new NotReached("No webhook arrived.");
    const code = await authorize(world, client, person);
    const first = tokensOf(await exchangeCode(client, code));
    await readUser(world, first.access);
    const next = tokensOf(await refreshTokens(client, first.refresh));
    const userId = findText((await readUser(world, next.access)).answer.json, ["id"]);
    await client.control("POST", `/sandbox/users/${userId}/tokens/expire`, { kind: "access_token" });
    await readUser(world, next.access);
    const secrets: Record<string, string> = {
      ...{ "an access_token": first.access, "a refresh_token": first.refresh, "a code": code },
      ...{ "the client's secret": client.secret, "the webhooks' secret": client.webhookSecret },
      ...{ "an ssn": String(person.fields["ssn"]), "an address": String(person.fields["address1"]) },
    };
    const isLast = (event: SandboxEvent) => event.kind === "call" && event.reason === "token_expired";
    return {
      client,
      intentId: person.intentId,
      secrets,
      ...(await eventsOf(client, "limit=1000", (all) => all.some(isLast))),
    };
  });
}

type Events = { exchange: Exchange; events: SandboxEvent[]; hasEarlier: boolean; hasLater: boolean };

/** Polls a page of events until it matches, since events appear with a delay. */
export function eventsOf(
  client: Client,
  query: string,
  isWanted: (events: SandboxEvent[]) => boolean = () => true,
): Promise<Events> {
  const read = async () => {
    const exchange = await client.control("GET", `/sandbox/events?${query}`);
    fits(eventPage, exchange);
    const { events, earlier_exist, later_exist } = eventPage.parse(exchange.answer.json);
    return { exchange, events, hasEarlier: earlier_exist, hasLater: later_exist };
  };
  return readUntil(read, ({ events }) => isWanted(events));
}

async function lastEventId(client: Client): Promise<string> {
  const { events } = await eventsOf(client, `limit=${limits.eventsPageMax}`);
  return events.at(-1)?.id ?? "0";
}
