import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../../lib/kit/ids.ts";
import { newSecret, sha256 } from "../../lib/kit/secrets.ts";
import { insertAuthorization } from "../../lib/service/storage/authorizations.ts";
import { database } from "../../lib/service/storage/database.ts";
import { testRedirectUri } from "../../lib/service/testing/clients.ts";
import { personDetails } from "../../lib/service/testing/people.ts";
import { testTraceId, testVerifier } from "../../lib/service/testing/tokens.ts";
import {
  acknowledgmentOf,
  type Booking,
  type Grant,
  type Intent,
  isSuccess,
  isUnknown,
  type Operation,
  type Outcome,
} from "./history.ts";
import type { RunClient } from "./people.ts";
import type { ServerProcess } from "./processes/server-process.ts";
import type { Progress } from "./progress.ts";
import { type Random, randomFrom } from "./random.ts";
import { sendRequest } from "./send-request.ts";

/** Running actors, with the full history of operations. */
export type Load = {
  operations: Operation[];
  /** Replays a sample of acknowledged keys. Returns a sentence for each answer that isn't byte-identical. */
  repeatAcknowledged: () => Promise<string[]>;
  stop: () => Promise<void>;
};

export type LoadOptions = {
  seed: number;
  clients: RunClient[];
  apis: ServerProcess[];
  progress: Progress;
  /** Booking actors of the first client, which has one account, and of each other client. */
  hotBookers: number;
  otherBookers: number;
  /** Actors that create user intents. Each seller has one refreshing actor. */
  creators: number;
};

// How long an actor retries an unanswered request.
const persistenceMs = 40_000;
const repeatsMax = 200;

export function startLoad({ seed, clients, apis, progress, hotBookers, otherBookers, creators }: LoadOptions): Load {
  const operations: Operation[] = [];
  const pursuits: Pursuit[] = [];
  let isStopping = false;
  const actors: Promise<void>[] = [];

  for (const [index, client] of clients.entries()) {
    repeat(index === 0 ? hotBookers : otherBookers, (number) => act(`booker-${index}-${number}`, client, book));
    repeat(creators, (number) => act(`creator-${index}-${number}`, client, createIntent));
    for (const [number, seller] of client.sellers.entries()) {
      act(`renewer-${index}-${number}`, client, (actor) => renew(actor, seller));
    }
  }
  return {
    operations,
    repeatAcknowledged: async () => {
      const candidates = pursuits.filter(({ operation }) => operation.key && acknowledgmentOf(operation));
      const step = Math.ceil(candidates.length / repeatsMax);
      const sample = candidates.filter((_, index) => index % step === 0);
      const problems: string[] = [];
      for (const pursuit of sample) problems.push(...(await repeatAnswered(pursuit)));
      return problems;
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(actors);
    },
  };

  function act(name: string, client: RunClient, step: (actor: Actor) => Promise<void>): void {
    const random = randomFrom(seed, name);
    // Actors are spread over the APIs, so that a hanging one doesn't block all.
    const home = actors.length;
    const apiOf = (attempt: number) => roundRobin(apis, home + attempt);
    let count = 0;
    const nextName = () => {
      count += 1;
      return `${seed}-${name}-${count}`;
    };
    actors.push(
      (async () => {
        while (!isStopping) {
          await step({ random, client, apiOf, nextName });
          await delay(random.integer(1, 20));
        }
      })(),
    );
  }

  async function book({ random, client, apiOf, nextName }: Actor): Promise<void> {
    const booking: Booking = {
      kind: "booking",
      name: nextName(),
      key: random.chance(60) ? random.uuid() : undefined,
      amountCents: random.integer(1, 500),
      sourceId: random.pick(client.sourceIds),
      destinationId: random.pick(client.walletIds),
      attempts: [],
    };
    const send = async (attempt: number) => {
      const api = apiOf(attempt);
      const sentAt = Date.now();
      const outcome = await sendBooking(booking, { client, api, patienceMs: patienceOf(random) });
      // A replayed answer may be from an earlier request, so it doesn't count as service.
      if (isSuccess(outcome) && !outcome.isReplay) {
        const { transfer_id: transferId } = JSON.parse(outcome.text) as { transfer_id: string };
        progress.noteBooking({ api: api.name, sentAt, transferId });
      }
      return outcome;
    };
    await begin({ operation: booking, random, send });
  }

  async function createIntent({ random, client, apiOf, nextName }: Actor): Promise<void> {
    const intent: Intent = {
      kind: "intent",
      email: `${nextName()}@example.com`,
      key: random.chance(60) ? random.uuid() : undefined,
      attempts: [],
    };
    const phone = `+1${random.integer(200, 999)}${String(random.integer(0, 9_999_999)).padStart(7, "0")}`;
    // The last four digits decide (D8): one in five is rejected.
    const ssn = random.chance(20) ? "123450001" : "123456789";
    const send = (attempt: number) =>
      sendRequest(intent.attempts, apiOf(attempt), {
        path: "/v1/user_intent",
        authorization: client.basic,
        body: personDetails({ email: intent.email, phone, ssn }),
        key: intent.key,
        patienceMs: patienceOf(random),
      });
    await begin({ operation: intent, random, send });
  }

  async function begin(pursuit: Pursuit): Promise<void> {
    operations.push(pursuit.operation);
    pursuits.push(pursuit);
    await pursue(pursuit);
  }

  async function renew({ random, client, apiOf }: Actor, seller: RunClient["sellers"][number]): Promise<void> {
    const code = random.chance(15) ? await authorize(client, seller.userId) : undefined;
    const grant: Grant = { kind: "grant", userId: seller.userId, code, attempts: [] };
    operations.push(grant);
    const body = code
      ? { grant_type: "authorization_code", code, redirect_uri: testRedirectUri, code_verifier: testVerifier }
      : { grant_type: "refresh_token", refresh_token: seller.refreshToken };
    for (let attempt = 0; attempt < 2; attempt++) {
      const outcome = await sendRequest(grant.attempts, apiOf(attempt), {
        path: "/v1/oauth/token",
        authorization: client.basic,
        body,
        patienceMs: patienceOf(random),
      });
      if (isSuccess(outcome)) {
        seller.refreshToken = (JSON.parse(outcome.text) as { refresh_token: string }).refresh_token;
        return;
      }
      // A failure can be retried. Without an answer, the code may be used up.
      if (outcome.kind === "none" || isStopping) return;
    }
  }
}

export function sendBooking(
  { name, key, amountCents, sourceId, destinationId, attempts }: Booking,
  { client, api, patienceMs }: { client: RunClient; api: ServerProcess; patienceMs: number },
): Promise<Outcome> {
  return sendRequest(attempts, api, {
    path: "/v1/routines/book",
    authorization: `Bearer ${client.businessToken}`,
    body: { name, amount: amountCents / 100, source_id: sourceId, destination_id: destinationId },
    key,
    patienceMs,
  });
}

type Actor = {
  random: Random;
  client: RunClient;
  /** The API for the n-th attempt; consecutive attempts use different ones. */
  apiOf: (attempt: number) => ServerProcess;
  nextName: () => string;
};

type Pursuit = { operation: Booking | Intent; random: Random; send: (attempt: number) => Promise<Outcome> };

/** Sends an operation without a key once. With a key, retries after no answer, and usually after a failure. */
async function pursue({ operation, random, send }: Pursuit): Promise<void> {
  const giveUpAt = Date.now() + persistenceMs;
  for (let attempt = 0; Date.now() < giveUpAt; attempt++) {
    const outcome = await send(attempt);
    const isFinal = outcome.kind === "answer" && outcome.status !== 503 && outcome.status !== 409;
    if (isFinal || !operation.key) return;
    if (!isUnknown(operation) && random.chance(30)) return;
    await delay(random.integer(30, 150));
  }
}

async function repeatAnswered({ operation, send }: Pursuit): Promise<string[]> {
  const first = acknowledgmentOf(operation);
  const giveUpAt = Date.now() + persistenceMs;
  let outcome = await send(0);
  // Some actors time out early, which leaves the outcome unknown.
  for (let attempt = 1; outcome.kind === "none" && Date.now() < giveUpAt; attempt++) outcome = await send(attempt);
  const isSame = isSuccess(outcome) && outcome.isReplay && outcome.text === first?.text;
  const name = operation.kind === "booking" ? operation.name : operation.email;
  return isSame ? [] : [`A retry of ${name} with its key got a different answer.`];
}

// Some wait long; others so briefly that they retry while the first request is in flight.
function patienceOf(random: Random): number {
  return random.chance(30) ? 1000 : 15_000;
}

/** A code as issued by Authorize; undefined while PostgreSQL is down. */
async function authorize({ client }: RunClient, userId: string): Promise<string | undefined> {
  const code = newSecret("gwc_");
  const codeChallenge = createHash("sha256").update(testVerifier).digest("base64url");
  const authorization = {
    id: newId(),
    clientId: client.clientId,
    userId,
    redirectUri: testRedirectUri,
    codeChallenge,
    traceId: testTraceId,
  };
  try {
    await insertAuthorization(database(), { ...authorization, codeHash: sha256(code) });
    return code;
  } catch {
    return undefined;
  }
}

function repeat(count: number, work: (number: number) => void): void {
  for (let number = 1; number <= count; number++) work(number);
}

function roundRobin<T>(list: T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new Error("There must be at least one.");
  return item;
}
