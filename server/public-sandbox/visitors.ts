import { randomBytes } from "node:crypto";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { describeError } from "../../lib/kit/describe-error.ts";
import { log } from "../../lib/kit/log.ts";
import { clientNetwork } from "../../lib/kit/networks.ts";
import { keyedHash, newSecret, sha256 } from "../../lib/kit/secrets.ts";
import type { PartnerConfig } from "../../lib/partner/config.ts";
import { createInspector } from "../../lib/partner/inspector/create-inspector.ts";
import { startPartnerWorker } from "../../lib/partner/jobs/start-worker.ts";
import { liveStreams } from "../../lib/partner/live/live-streams.ts";
import type { Partner } from "../../lib/partner/partner.ts";
import { openPartner } from "../../lib/partner/process-partner.ts";
import { connectDemoPeople } from "../../lib/partner/sandbox/connect-demo-people.ts";
import { seedPartnerSandbox } from "../../lib/partner/sandbox/seed.ts";
import type { HarborSchemas } from "./harbor-schemas.ts";
import type { PublicLimits } from "./limits.ts";
import { createVisitorClient, deleteVisitorClient } from "./service-clients.ts";

/** One visitor's sandbox. `id` appears in loopback addresses; only the token, kept as a hash, opens it. */
export type Visitor = {
  id: string;
  clientId: string;
  schema: string;
  partner: Partner;
  tokenHash?: string;
  madeAtMs: number;
  endsAtMs: number;
  /** Whether anything happened that may need a worker; a visitor who only views pages needs none. */
  isUsed: boolean;
  seenAtMs: number;
  inFlight: number;
  requests: number;
  receivedBytes: number;
  worker?: Promise<{ stop: () => Promise<void> }> | undefined;
  /** Resolves once the demo people are onboarded, or some of them couldn't be. */
  peopleConnected?: Promise<void> | undefined;
};

export type Welcome =
  | { kind: "welcome"; visitor: Visitor; token: string }
  | { kind: "full" | "busy" | "too_many_of_address" };

export type Visitors = {
  find: (token: string) => Visitor | undefined;
  findById: (id: string) => Visitor | undefined;
  findByClient: (clientId: string) => Visitor | undefined;
  /** Gives a new visitor a sandbox, or says why not. */
  welcome: (address: string) => Promise<Welcome>;
  /** Counts a request against the sandbox's limits, and deletes a sandbox that is used up. */
  admit: (visitor: Visitor, bytes: number) => Promise<"admitted" | "too_fast" | "used_up">;
  /** Marks the sandbox as in use. `isUse`: more than viewing pages, so it needs its worker. */
  wake: (visitor: Visitor, isUse: boolean) => void;
  /** Deletes a sandbox; `sweep` retries if that fails. */
  end: (visitor: Visitor) => Promise<void>;
  /** Deletes sandboxes that have expired or grown too large, and stops the workers of idle ones. */
  sweep: () => Promise<void>;
  counts: () => { sandboxes: number; workers: number; spares: number };
  stop: () => Promise<void>;
};

export type VisitorsOptions = {
  config: PartnerConfig;
  schemas: HarborSchemas;
  limits: PublicLimits;
  now: () => number;
  /** The service's API and the visitors' hooks, on loopback. */
  apiUrl: string;
  hooksUrl: (id: string) => string;
  /** Where the authorization pages are on loopback; if undefined, no demo people are connected. */
  pagesAt: string | undefined;
};

export function openVisitors(options: VisitorsOptions): Visitors {
  const { schemas, limits, now } = options;
  const byId = new Map<string, Visitor>();
  const byToken = new Map<string, Visitor>();
  const spares: Visitor[] = [];
  const unfinished = new Set<Visitor>();
  const perAddress = new RateLimiterMemory({ points: limits.sandboxesOfAddressMax, duration: 3600 });
  const perVisitor = new RateLimiterMemory({ points: limits.requestsInTenSecondsMax, duration: 10 });
  const creations = limitConcurrency(limits.creationsMax);
  const connections = limitConcurrency(1);
  let isStopped = false;
  // Visitors whose sandbox is being created.
  let arriving = 0;

  async function make(): Promise<Visitor> {
    const id = randomBytes(12).toString("hex");
    const clientId = `visitor-${id}`;
    const schema = `visitor_${id}`;
    try {
      const redirectUri = `${options.config.baseUrl}/callback`;
      const parts = [
        createVisitorClient(clientId, { redirectUri, hooksUrl: options.hooksUrl(id) }),
        schemas.create(schema),
      ] as const;
      // After a failure, the other part must be complete before it's removed.
      await Promise.allSettled(parts);
      const [client, database] = await Promise.all(parts);
      const config: PartnerConfig = {
        ...options.config,
        hasServiceConsole: false,
        clientId,
        clientSecret: client.clientSecret,
        provider: client.provider,
        customerEndpointSecrets: [client.customerEndpointSecret],
        customerEndpointAddresses: [],
        webhookSecrets: [client.webhookSecret],
        businessUserId: client.businessUserId,
        businessUserPhone: client.businessUserPhone,
        // So that one sandbox's cookie opens no other.
        sessionSecret: keyedHash(options.config.sessionSecret, id).toString("hex"),
      };
      // Calls go over loopback; pages and the issuer check use the public address.
      const opened = openPartner(
        { ...config, serviceBaseUrl: options.apiUrl },
        { observeWith: createInspector, database },
      );
      const partner = { ...opened, config };
      await seedPartnerSandbox(partner);
      const timesMs = { madeAtMs: now(), endsAtMs: Number.POSITIVE_INFINITY, seenAtMs: now() };
      const counts = { isUsed: false, inFlight: 0, requests: 0, receivedBytes: 0 };
      const visitor = { id, clientId, schema, partner, ...timesMs, ...counts };
      byId.set(id, visitor);
      return visitor;
    } catch (error) {
      await removeData({ schema, clientId }).catch(() => undefined);
      throw error;
    }
  }

  /** The demo people go through the same pages as visitors, one sandbox at a time, so that a crowd of visitors comes first. */
  function connectPeople(visitor: Visitor): Promise<void> {
    visitor.peopleConnected ??= connections.run(async () => {
      if (!options.pagesAt || isStopped || !byId.has(visitor.id)) return;
      wake(visitor, true);
      try {
        await connectDemoPeople(visitor.partner, options.pagesAt);
      } catch (error) {
        visitor.peopleConnected = undefined;
        throw error;
      }
    });
    return visitor.peopleConnected;
  }

  /** Waiting visitors come first. */
  async function prepareSpares(): Promise<void> {
    while (!isStopped && spares.length < limits.sparesMax && creations.size() === 0) {
      spares.push(await creations.run(make));
    }
    for (const spare of spares.slice(0, limits.connectedSparesMax)) await connectPeople(spare);
  }

  let isPreparing = false;
  function keepSpares(): void {
    if (isPreparing) return;
    isPreparing = true;
    prepareSpares()
      .catch((error: unknown) => log().error({ error: describeError(error) }, "a spare sandbox could not be prepared"))
      .finally(() => {
        isPreparing = false;
      });
  }

  async function welcome(address: string): Promise<Welcome> {
    if (isStopped || byToken.size + arriving >= limits.sandboxesMax) return { kind: "full" };
    if (creations.waiting() >= limits.creationsWaitingMax) return { kind: "busy" };
    arriving += 1;
    try {
      return await admitNew(address);
    } finally {
      arriving -= 1;
    }
  }

  async function admitNew(address: string): Promise<Welcome> {
    if (!(await isWithinRate(perAddress, clientNetwork(address)))) return { kind: "too_many_of_address" };
    const visitor = spares.shift() ?? (await creations.run(make));
    connectPeople(visitor).catch((error: unknown) => {
      log().warn({ error: describeError(error) }, "the demo people of a sandbox could not be connected");
    });
    keepSpares();
    const token = newSecret("gws_");
    visitor.tokenHash = hashOf(token);
    visitor.endsAtMs = now() + limits.lifetimeMs;
    byToken.set(visitor.tokenHash, visitor);
    wake(visitor, false);
    return { kind: "welcome", visitor, token };
  }

  async function admit(visitor: Visitor, bytes: number): Promise<"admitted" | "too_fast" | "used_up"> {
    if (!(await isWithinRate(perVisitor, visitor.id))) return "too_fast";
    visitor.requests += 1;
    visitor.receivedBytes += bytes;
    if (visitor.requests <= limits.requestsMax && visitor.receivedBytes <= limits.receivedBytesMax) return "admitted";
    void end(visitor);
    return "used_up";
  }

  function wake(visitor: Visitor, isUse: boolean): void {
    visitor.seenAtMs = now();
    visitor.isUsed ||= isUse;
    if (visitor.isUsed && !isStopped && byId.has(visitor.id)) visitor.worker ??= startPartnerWorker(visitor.partner);
  }

  async function stopWorker(visitor: Visitor): Promise<void> {
    const { worker } = visitor;
    visitor.worker = undefined;
    await (await worker)?.stop();
  }

  async function end(visitor: Visitor): Promise<void> {
    byId.delete(visitor.id);
    if (visitor.tokenHash) byToken.delete(visitor.tokenHash);
    unfinished.add(visitor);
    try {
      await liveStreams(visitor.partner).stop();
      await stopWorker(visitor);
      await removeData(visitor);
      unfinished.delete(visitor);
      log().info({ sandbox: visitor.id }, "a visitor's sandbox was deleted");
    } catch (error) {
      log().error({ error: describeError(error) }, "a visitor's sandbox could not be deleted yet");
    }
  }

  async function removeData({ schema, clientId }: Pick<Visitor, "schema" | "clientId">): Promise<void> {
    await schemas.drop(schema);
    await deleteVisitorClient(clientId);
  }

  async function sweep(): Promise<void> {
    for (const visitor of unfinished) await end(visitor);
    // Without a worker, nothing renews the tokens of their demo people.
    const isOld = ({ madeAtMs }: Visitor) => now() - madeAtMs >= limits.lifetimeMs;
    const old = spares.filter(isOld);
    spares.splice(0, spares.length, ...spares.filter((spare) => !isOld(spare)));
    for (const spare of old) await end(spare);
    for (const visitor of [...byId.values()]) {
      try {
        await sweepVisitor(visitor);
      } catch (error) {
        log().warn({ error: describeError(error) }, "a visitor's sandbox could not be checked");
      }
    }
    keepSpares();
  }

  async function sweepVisitor(visitor: Visitor): Promise<void> {
    if (now() >= visitor.endsAtMs) return end(visitor);
    if (visitor.inFlight === 0 && now() - visitor.seenAtMs >= limits.idleMs) return stopWorker(visitor);
    if (visitor.worker && (await schemas.bytesOf(visitor.schema)) > limits.storedBytesMax) await end(visitor);
  }

  return {
    find: (token) => {
      const visitor = byToken.get(hashOf(token));
      // The next `sweep` deletes an expired one.
      return visitor && now() < visitor.endsAtMs ? visitor : undefined;
    },
    findById: (id) => byId.get(id),
    findByClient: (clientId) => byId.get(clientId.replace(/^visitor-/, "")),
    welcome,
    admit,
    wake,
    end,
    sweep,
    counts: () => ({
      sandboxes: byToken.size,
      workers: [...byId.values()].filter(({ worker }) => worker).length,
      spares: spares.length,
    }),
    stop: async () => {
      isStopped = true;
      await Promise.all(
        [...byId.values()].map(async (visitor) => [
          await liveStreams(visitor.partner).stop(),
          await stopWorker(visitor),
        ]),
      );
    },
  };
}

function hashOf(token: string): string {
  return sha256(token).toString("hex");
}

export function isWithinRate(limiter: RateLimiterMemory, key: string): Promise<boolean> {
  return limiter.consume(key).then(
    () => true,
    () => false,
  );
}

/** Runs at most `max` tasks at once, in order of arrival. */
function limitConcurrency(max: number) {
  const queue: (() => void)[] = [];
  let running = 0;
  return {
    size: () => running + queue.length,
    waiting: () => queue.length,
    run: async <T>(work: () => Promise<T>): Promise<T> => {
      if (running >= max) await new Promise<void>((go) => queue.push(go));
      else running += 1;
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
