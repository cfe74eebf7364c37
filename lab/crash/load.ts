import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../../lib/kit/ids.ts";
import { newSecret, sha256 } from "../../lib/kit/secrets.ts";
import { insertAuthorization } from "../../lib/service/storage/authorization-codes.ts";
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

/** Running actors. `operations` is what they asked for and what they were answered: the whole history of a run. */
export type Load = {
  operations: Operation[];
  /**
   * Asks again with the keys of what was acknowledged, of many such a sample. Each answer that is not the first one to the
   * byte is a sentence.
   */
  repeatAcknowledged: () => Promise<string[]>;
  /** Stops new operations; resolves when no actor waits for an answer that a repetition could still get. */
  stop: () => Promise<void>;
};

export type LoadOptions = {
  seed: number;
  clients: RunClient[];
  apis: ServerProcess[];
  progress: Progress;
  /** How many book for the first client, all from its one account, and how many for each of the others. */
  hotBookers: number;
  otherBookers: number;
  /** How many create user intents. Refreshing is one actor's per seller. */
  creators: number;
};

// How long an actor repeats a request that got no answer.
const persistenceMs = 40_000;
const repeatsMax = 200;

/** Starts the actors: each does one operation after another, as its own stream of random decisions says. */
export function startLoad({ seed, clients, apis, progress, hotBookers, otherBookers, creators }: LoadOptions): Load {
  const operations: Operation[] = [];
  const pursuits: Pursuit[] = [];
  let isStopping = false;
  const actors: Promise<void>[] = [];

  for (const [place, client] of clients.entries()) {
    repeat(place === 0 ? hotBookers : otherBookers, (number) => act(`booker-${place}-${number}`, client, book));
    repeat(creators, (number) => act(`creator-${place}-${number}`, client, createIntent));
    for (const [number, seller] of client.sellers.entries()) {
      act(`renewer-${place}-${number}`, client, (actor) => renew(actor, seller));
    }
  }
  return {
    operations,
    repeatAcknowledged: async () => {
      const candidates = pursuits.filter(({ operation }) => operation.key && acknowledgmentOf(operation));
      const step = Math.ceil(candidates.length / repeatsMax);
      const sample = candidates.filter((_, place) => place % step === 0);
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
    // Half of the actors begin at each API, so that one that hangs does not hold them all.
    const home = actors.length;
    const apiOf = (attempt: number) => atPlace(apis, home + attempt);
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
      // A replay may be of work that an earlier request did, and says nothing about how this one was served.
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
      // A failure means that nothing happened, so the same may be asked again; after no answer a code may be spent.
      if (outcome.kind === "none" || isStopping) return;
    }
  }
}

/** Asks an API for a routine and writes down what came of it. */
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
  /** Where the n-th attempt of an operation goes: each to another API than the one before. */
  apiOf: (attempt: number) => ServerProcess;
  nextName: () => string;
};

/** Something that is wanted, and how its n-th request is sent. */
type Pursuit = { operation: Booking | Intent; random: Random; send: (attempt: number) => Promise<Outcome> };

/**
 * Sends an operation until it succeeds. Without a key once only; with one again after no answer, and mostly after a
 * failure too, where nothing has happened so far.
 */
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
  // Some are impatient, and then nothing is known.
  for (let attempt = 1; outcome.kind === "none" && Date.now() < giveUpAt; attempt++) outcome = await send(attempt);
  const isSame = isSuccess(outcome) && outcome.isReplay && outcome.text === first?.text;
  const name = operation.kind === "booking" ? operation.name : operation.email;
  return isSame ? [] : [`Asked again with its key, ${name} is not answered as the first time.`];
}

// Some wait for as long as anybody would, some so briefly that they ask again while the first request is under way.
function patienceOf(random: Random): number {
  return random.chance(30) ? 1000 : 15_000;
}

/** A code as the person's Authorize makes it; undefined while PostgreSQL is away. */
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

function atPlace<T>(list: T[], place: number): T {
  const item = list[place % list.length];
  if (item === undefined) throw new Error("There must be at least one.");
  return item;
}
