import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join, relative, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { getRequestListener } from "@hono/node-server";
import pg from "pg";
import { type FakeServer, startFakeServer } from "../../lib/kit/testing/fake-server.ts";
import { listenOnFreePort } from "../../lib/kit/testing/http-listener.ts";
import { newCookieStore } from "../../lib/partner/testing/browser.ts";
import { freePort } from "../../scripts/embedded-postgres.ts";
import { startTestCluster } from "../../scripts/test-cluster.ts";
import { seedClientAt } from "../../scripts/test-stack.ts";

/** Printed above the walks. */
export const walkDefinition =
  "A walk counts the files of both apps in which a function runs between a request and its response, except those that only configure, log, measure or trace it and those of the sandbox and the inspector.";

/** A request's files, excluded files, and imports that go up a layer. */
export type Walk = { name: string; files: string[]; instruments: string[]; climbs: string[] };

/** One walk: `arrange` runs unmeasured and returns the measured step. Files bundled by Next are listed manually. */
type Route = { name: string; arrange: () => Promise<() => Promise<unknown>>; bundledFiles?: string[] };

const root = resolve(import.meta.dirname, "../..");
const product = /^(?:server\.ts|(?:lib|components|app|server|brand)\/(?!.*(?:\/testing\/|\.test\.)).+\.tsx?)$/;
const instrument =
  /^lib\/(?:kit\/(?:log|memoize|request-meter|spans|timed|trace)|service\/(?:config|metrics)|partner\/config|(?:service\/sandbox|partner\/inspector)\/.*)\.ts$/;
// Longer than the sandbox's event write delay.
const quietMs = 1000;

/** Runs each walk twice on real servers and databases; the second one counts. */
export async function measureWalks(): Promise<Walk[]> {
  const cluster = await startTestCluster("walks");
  const fake = await startFakeServer();
  const pages = await listenOnFreePort(async (request, response) => {
    const { answerAuthorizationRequest } = await import("../../lib/service/pages/authorization-entry.ts");
    await getRequestListener(answerAuthorizationRequest)(request, response);
  });
  try {
    await setEnvironment(cluster.url("postgres"), { fakeUrl: fake.url, pagesUrl: pages.url });
    return await takeWalks(fake);
  } finally {
    await fake.stop();
    await pages.stop();
    cluster.stop();
  }
}

async function setEnvironment(
  postgresUrl: string,
  { fakeUrl, pagesUrl }: { fakeUrl: string; pagesUrl: string },
): Promise<void> {
  const connection = new pg.Client({ connectionString: postgresUrl });
  await connection.connect();
  const [service, partner] = ["walks_service", "walks_partner"].map((name) => new URL(`/${name}`, postgresUrl).href);
  for (const name of ["walks_service", "walks_partner"]) await connection.query(`create database ${name}`);
  await connection.end();
  const address = `http://127.0.0.1:${await freePort()}`;
  Object.assign(process.env, parseEnv(readFileSync(join(root, ".env.example"), "utf8")), {
    SERVICE_DATABASE_URL: service,
    PARTNER_DATABASE_URL: partner,
    SERVICE_BASE_URL: address,
    SERVICE_AUTH_URL: pagesUrl,
    PARTNER_SERVICE_BASE_URL: address,
    PARTNER_SERVICE_AUTH_URL: pagesUrl,
    SERVICE_SEED_CLIENT: seedClientAt(fakeUrl),
    PARTNER_BASE_URL: fakeUrl,
    SERVICE_SETTLEMENT_DELAY_MS: String(2 * quietMs),
    LOG_LEVEL: "silent",
  });
}

async function takeWalks(fake: FakeServer): Promise<Walk[]> {
  const { startServer } = await import("../../server/start.ts");
  const { migrateDatabase } = await import("../../lib/kit/migrate-database.ts");
  await migrateDatabase(process.env["PARTNER_DATABASE_URL"] ?? "", join(root, "lib/partner/storage/migrations"));
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const api = await startServer(new Set(["service-api"]));
  const { partner } = await import("../../lib/partner/process-partner.ts");
  try {
    const { requests, settlement } = await prepareRoutes(fake);
    const walks: Walk[] = [];
    for (const route of requests) walks.push(await take(session, route));
    const { startServiceWorkers } = await import("../../lib/service/workers/start-workers.ts");
    const workers = startServiceWorkers();
    walks.push(await take(session, settlement));
    await workers.stop();
    return walks;
  } finally {
    session.disconnect();
    await partner().pool.end();
    await api.stop();
  }
}

async function take(session: Session, { name, arrange, bundledFiles = [] }: Route): Promise<Walk> {
  await (await arrange())();
  const walk = await arrange();
  await delay(quietMs);
  await session.post("Profiler.takePreciseCoverage");
  await walk();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const executed = result.filter(
    ({ url, functions }) =>
      url.startsWith("file:") && functions.some(({ ranges: [range] }) => range !== undefined && range.count > 0),
  );
  const seen = executed.map(({ url }) => relative(root, fileURLToPath(url))).filter((file) => product.test(file));
  const missing = bundledFiles.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`lab/weight/walks.ts names files that don't exist: ${missing.join(", ")}`);
  const all = [...new Set([...seen, ...bundledFiles])].toSorted();
  const files = all.filter((file) => !instrument.test(file));
  return { name, files, instruments: all.filter((file) => instrument.test(file)), climbs: climbsAmong(files) };
}

// From the outside in, as in docs/architecture.md. Other files have no layer.
const layers = [
  /^(?:server|app)[./]/,
  /^(?:lib\/service\/(?:http|pages|workers|sandbox)|components)\//,
  /^lib\/(?:service\/operations|partner\/(?!storage))\//,
  /^lib\/(?:service\/(?:storage|outbound)|partner\/storage|client)\//,
  /^lib\/service\/domain\//,
  /^lib\/contract\//,
  /^lib\/kit\//,
];

function climbsAmong(files: string[]): string[] {
  const layerOf = (file: string) => layers.findIndex((layer) => layer.test(file));
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const imported = [...text.matchAll(/\bfrom "(#|\.{1,2}\/)([^"]+)"|import\("(#|\.{1,2}\/)([^"]+)"\)/g)].map(
      (match) => {
        const [, from, path, dynamic, dynamicPath] = match;
        const start = from ?? dynamic ?? "";
        const end = path ?? dynamicPath ?? "";
        return start === "#" ? end : relative(root, resolve(root, file, "../..", start + end));
      },
    );
    return imported
      .filter((target) => files.includes(target) && layerOf(target) >= 0 && layerOf(target) < layerOf(file))
      .map((target) => `${file} -> ${target}`);
  });
}

async function prepareRoutes(fake: FakeServer): Promise<{ requests: Route[]; settlement: Route }> {
  const { partner } = await import("../../lib/partner/process-partner.ts");
  const { clientId, serviceBaseUrl, businessUserId, businessUserPhone } = partner().config;
  const { insertTestSeller } = await import("../../lib/service/testing/routines.ts");
  const { authorizeByHand } = await import("../../lib/service/testing/visits.ts");
  const { createPerson } = await import("../../lib/partner/testing/people.ts");
  const { openAuthorization } = await import("../../lib/partner/authorization/start-authorization.ts");
  const { rememberAuthorization } = await import("../../lib/partner/authorization/finish-authorization.ts");
  const { finishAuthorization } = await import("../../lib/partner/authorization/finish-authorization.ts");
  const { onboardingForm } = await import("../../lib/partner/onboarding/onboarding-fields.ts");
  const { submitOnboarding } = await import("../../lib/partner/onboarding/submit-onboarding.ts");
  const { parseForm } = await import("../../lib/partner/requests/form-state.ts");

  const operator = await createPerson({ role: "operator" });
  fake.answer(({ path }, response) => {
    const record = { ...names, customer_id: path.split("/").at(-1), phone: businessUserPhone };
    const customer = { ...record, lastAuthenticationTime: new Date().toISOString() };
    response.setHeader("content-type", "application/json").end(JSON.stringify(customer));
  });

  async function editCallback(): Promise<() => Promise<unknown>> {
    const subject = { user_id: businessUserId };
    const opened = await openAuthorization(partner(), {
      personId: operator.id,
      purpose: "business",
      subject,
      returnTo: "/",
    });
    if (opened.kind !== "ok") throw new Error(`The authorization page didn't open: ${opened.kind}.`);
    const cookies = newCookieStore();
    await rememberAuthorization(partner(), cookies, opened.pending);
    const address = new URL(opened.address);
    const { returnTo } = await authorizeByHand(address, { clientId, phone: businessUserPhone });
    return async () => {
      const finished = await finishAuthorization(partner(), returnTo.searchParams, cookies, operator);
      if (finished.kind !== "ok") throw new Error(`The callback ended as ${finished.problem}.`);
    };
  }
  await (await editCallback())();

  // Read outside the measurement, because each callback supersedes the token.
  const send = async (path: string, body?: object) => {
    const token = await partner().tokens.accessToken(businessUserId);
    if (token.kind !== "ok") throw new Error("The business has no access token.");
    const headers = {
      authorization: `Bearer ${token.accessToken}`,
      ...(body && { "content-type": "application/json", "idempotency-key": randomUUID() }),
    };
    const request = { method: body ? "POST" : "GET", headers, body: body ? JSON.stringify(body) : null };
    return async () => {
      const answer = await fetch(serviceBaseUrl + path, request);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${text}`);
      return JSON.parse(text) as { accounts?: { id: string }[] };
    };
  };
  const { accounts: [source] = [] } = await (await send("/v1/accounts"))();
  const { walletId } = await insertTestSeller({ clientId });
  const book = () =>
    send("/v1/routines/book", { name: "Payout", amount: 1, source_id: source?.id, destination_id: walletId });

  const requests: Route[] = [
    { name: "book: from socket to row", arrange: book },
    {
      name: "onboarding form to stored intent",
      arrange: async () => {
        const seller = await createPerson();
        return async () => {
          const parsed = parseForm(onboardingForm, { ...answers, idempotency_key: randomUUID() });
          if (parsed.kind !== "ok") throw new Error("The form wasn't accepted.");
          const result = await submitOnboarding(partner(), parsed.values, seller, { clientAddress: "192.0.2.7" });
          if (!("redirectTo" in result)) throw new Error("Onboarding wasn't submitted.");
        };
      },
      bundledFiles: [
        "app/(partner)/onboarding/actions.ts",
        "lib/partner/people/session.ts",
        "lib/partner/requests/partner-action.ts",
      ],
    },
    {
      name: "callback",
      arrange: editCallback,
      bundledFiles: ["app/(partner)/callback/route.ts", "lib/partner/people/session.ts"],
    },
    { name: "GET /v1/user", arrange: () => send("/v1/user") },
  ];
  return {
    requests,
    settlement: {
      name: "row to webhook received",
      arrange: async () => {
        await (await book())();
        return () => fake.waitFor(fake.requests.length + 1);
      },
    },
  };
}

const names = { first_name: "Marta", last_name: "Quay" };
const answers = {
  ...names,
  date_of_birth: "1990-01-31",
  ssn: "519-55-1234",
  address1: "1 Canary Wharf",
  address2: "",
  shop: "",
  city: "Boston",
  state: "MA",
  postal_code: "02110",
  metadata: [],
};
