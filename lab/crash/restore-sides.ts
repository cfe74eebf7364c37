import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { migrateDatabase } from "../../lib/kit/migrate-database.ts";
import type { ConnectedBusiness } from "../../lib/partner/testing/connected-users.ts";
import type { PaidForm } from "../../lib/partner/testing/pay.ts";
import { type Cluster, freePort, startCluster } from "../../scripts/embedded-postgres.ts";
import { runStatements } from "../../scripts/run-statements.ts";
import { processSettings } from "./harbor.ts";
import { createRunClient, type RunClient } from "./people.ts";
import { serverProcess } from "./processes/server-process.ts";
import { startReaper } from "./processes/start-reaper.ts";
import { startWebhookReceiver } from "./receiver.ts";

export type SidesReport = { paidTwice: string[]; wrong: string[]; payments: number };

type Say = (sentence: string) => void;

/**
 * Pays through Harbor, restores Harbor's database to before some payments, then the service's to before another one,
 * and counts the payments at the service. Harbor's functions run in this process.
 */
export async function runSidesDrill({ say }: { say: Say }): Promise<SidesReport> {
  const reaper = startReaper();
  const folder = mkdtempSync(join(tmpdir(), "gangway-sides-"));
  reaper.send({ folder });
  chmodSync(folder, 0o711);
  const stops: (() => unknown)[] = [];
  try {
    const cluster = await startCluster(join(folder, "cluster"));
    reaper.send({ watch: cluster.pid });
    for (const name of ["service", "harbor"]) await query(cluster, `create database ${name}`);
    const url = `http://127.0.0.1:${await freePort()}`;
    const settings = processSettings({
      SERVICE_DATABASE_URL: cluster.url("service"),
      SERVICE_BASE_URL: url,
      SERVICE_AUTH_URL: url,
    });
    Object.assign(process.env, settings, { LOG_LEVEL: "silent" });
    const api = serverProcess({ name: "sides-api", role: "service-api", url, settings, reaper });
    const worker = serverProcess({ name: "sides-worker", role: "service-worker", url, settings, reaper });
    stops.push(() => Promise.all([api.kill(), worker.kill()]));
    await api.start();
    await worker.start();
    const receiver = await startWebhookReceiver(() => undefined);
    stops.push(() => receiver.stop());
    const { servicePool } = await import("../../lib/service/storage/database.ts");
    stops.push(() => servicePool().end());
    const client = await createRunClient({ webhookUrl: receiver.url, sourceCount: 1, sellerCount: 1 });
    const harbor = await openHarbor({ client, cluster, url });
    stops.push(harbor.close);
    return await restoreEachSide(harbor, { cluster, say });
  } finally {
    for (const stop of stops.reverse()) await stop();
    await reaper.finish();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Harbor = Awaited<ReturnType<typeof openHarbor>>;

async function restoreEachSide(harbor: Harbor, { cluster, say }: { cluster: Cluster; say: Say }): Promise<SidesReport> {
  const wrong: string[] = [];
  const expect = (isSo: boolean, statement: string) => void (isSo || wrong.push(statement));

  await harbor.pay("before");
  await snapshot(cluster, "harbor");
  const key = randomUUID();
  await harbor.pay("forgotten", key);
  await harbor.pay("forgotten too");
  await restore(cluster, "harbor");
  say("Restored Harbor's database to before two of three payments.");
  const again = await Promise.all([harbor.press("forgotten", key), harbor.press("forgotten too")]);
  expect(
    again.every(({ kind }) => kind === "problem"),
    "Harbor paid a payment again that it had lost.",
  );
  await harbor.pay("after");
  const listed = await harbor.list();
  expect(
    ["before", "forgotten", "forgotten too", "after"].every(
      (name) => listed.filter((row) => row.name === name).length === 1,
    ),
    "Harbor doesn't list each payment exactly once.",
  );

  const lostId = await (async () => {
    await harbor.settle();
    await snapshot(cluster, "service");
    const id = await harbor.pay("lost");
    await harbor.settle();
    expect((await harbor.stateOf(id)) === "succeeded", "A payment isn't tracked to its end.");
    await restore(cluster, "service");
    return id;
  })();
  say("Restored the service's database to before another payment, which Harbor shows as completed.");
  await harbor.letMinutesPass();
  await harbor.compare();
  expect((await harbor.stateOf(lostId)) === "missing", "A payment that the service lost isn't shown as unknown to it.");
  await harbor.letMinutesPass();
  await Promise.all([1, 2, 3].map(() => harbor.sendAgain(lostId)));
  await harbor.settle();
  expect((await harbor.stateOf(lostId)) === "succeeded", "A resent payment didn't arrive.");

  const names = await namesAtService(cluster);
  const paidTwice = names.filter((name, at) => names.indexOf(name) !== at);
  expect(new Set(names).size === 5, `The service has ${new Set(names).size} of 5 payments.`);
  return { paidTwice, wrong, payments: names.length };
}

async function openHarbor({ client, cluster, url }: { client: RunClient; cluster: Cluster; url: string }) {
  const [seller] = client.sellers;
  if (!seller) throw new Error("The drill needs a seller.");
  Object.assign(process.env, {
    PARTNER_DATABASE_URL: cluster.url("harbor"),
    PARTNER_SERVICE_BASE_URL: url,
    PARTNER_SERVICE_AUTH_URL: url,
    PARTNER_CLIENT_ID: client.client.clientId,
    PARTNER_CLIENT_SECRET: client.client.clientSecret,
    PARTNER_BUSINESS_USER_ID: client.client.businessUserId,
  });
  await migrateDatabase(cluster.url("harbor"), "lib/partner/storage/migrations");
  const { partner } = await import("../../lib/partner/process-partner.ts");
  const { beginRead, connectServiceUser, storeUserSnapshot } = await import(
    "../../lib/partner/storage/service-users.ts"
  );
  const { storeTokenPair } = await import("../../lib/partner/storage/token-pairs.ts");
  const { createPerson } = await import("../../lib/partner/testing/people.ts");
  const { pay } = await import("../../lib/partner/testing/pay.ts");
  const { compareRoutines } = await import("../../lib/partner/routines/compare-routines.ts");
  const { resolveRoutines } = await import("../../lib/partner/routines/resolve-routines.ts");
  const { sendAgain } = await import("../../lib/partner/routines/submit-resolution.ts");
  const { readNewestRoutines } = await import("../../lib/partner/routines/routine-view.ts");
  const { readRoutineView } = await import("../../lib/partner/routines/routine-view.ts");
  const pair = { refresh_token: "unused", token_type: "Bearer", expires_in: 7200, access_token: client.businessToken };
  await storeTokenPair(partner().config.keyring, partner().db, client.client.businessUserId, pair);
  const [person, operator] = [await createPerson(), await createPerson({ role: "operator" })];
  const record = { status: "approved", userType: "personal", firstName: "Marta", lastName: "Quay" };
  await connectServiceUser(
    partner().db,
    { id: seller.userId, personId: person.id, ...record },
    await beginRead(partner().db),
  );
  await storeUserSnapshot(
    partner().db,
    seller.userId,
    { usableAccountIds: client.walletIds },
    await beginRead(partner().db),
  );
  const business: ConnectedBusiness = { operator, sellerUserId: seller.userId, destinationId: client.walletIds[0] };
  const execute = async (statement: string) => void (await partner().pool.query(statement));

  function press(name: string, key: string = randomUUID()): Promise<PaidForm> {
    return pay(business, { name, source_id: client.sourceIds[0], idempotency_key: key });
  }

  return {
    press,
    pay: async (name: string, key?: string) => {
      const created = await press(name, key);
      if (created.kind !== "created") throw new Error(`"${name}" wasn't paid: ${JSON.stringify(created.form)}`);
      return created.routineId;
    },
    /** Compares once the service is back. */
    compare: async () => {
      let last = "";
      for (let tries = 0; tries < 100; tries++) {
        const compared = await compareRoutines(partner());
        if (compared.kind === "compared") return;
        last = compared.kind;
        await delay(200);
      }
      throw new Error(`Harbor can't compare its payments with the service: ${last}.`);
    },
    sendAgain: (id: string) => sendAgain(partner(), id),
    list: () => readNewestRoutines(partner(), 20),
    stateOf: async (id: string) => (await readRoutineView(partner(), id))?.state,
    settle: async () => {
      for (let tries = 0; tries < 100; tries++) {
        await execute("update routines set next_try_at = harbor_now() where next_try_at is not null");
        await resolveRoutines(partner());
        if (!(await readNewestRoutines(partner(), 20)).some(({ state }) => state === "open")) return;
        await delay(100);
      }
    },
    /** Shifts everything so far minutes into the past. */
    letMinutesPass: () =>
      execute(`update routines set missing_real_at = missing_real_at - interval '10 minutes',
      last_sent_real_at = last_sent_real_at - interval '10 minutes', asked_real_at = null`),
    close: () => partner().pool.end(),
  };
}

async function snapshot(cluster: Cluster, name: string): Promise<void> {
  await withoutConnections(cluster, name, [`create database ${name}_earlier template ${name}`]);
  await query(cluster, `alter database ${name} with allow_connections true`);
}

async function restore(cluster: Cluster, name: string): Promise<void> {
  const statements = [`drop database ${name}`, `create database ${name} template ${name}_earlier`];
  await withoutConnections(cluster, name, statements);
}

async function withoutConnections(cluster: Cluster, name: string, statements: string[]): Promise<void> {
  await query(cluster, `alter database ${name} with allow_connections false`);
  await query(cluster, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
  for (const statement of statements) await query(cluster, statement);
}

async function namesAtService(cluster: Cluster): Promise<string[]> {
  const rows = await query(cluster, "select name from routines", "service");
  return rows.map(({ name }) => String(name));
}

function query(cluster: Cluster, statement: string, name = "postgres"): Promise<Record<string, unknown>[]> {
  return runStatements(cluster.url(name), statement);
}
