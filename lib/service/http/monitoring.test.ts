import { readFileSync } from "node:fs";
import { afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { readRequestMeters } from "../../kit/request-meter.ts";
import { serviceConfig } from "../config.ts";
import { reconcile } from "../operations/money/reconcile.ts";
import { readMetrics } from "../operations/read-metrics.ts";
import { recordEncryptionKey, rotateServiceKeys } from "../operations/rotate-keys.ts";
import { chooseProviders, productionProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { database, inTransaction, servicePool } from "../storage/database.ts";
import { insertDeliveries } from "../storage/deliveries.ts";
import { quarantineRows, releaseFromQuarantine } from "../storage/quarantine.ts";
import { createTestClient } from "../testing/clients.ts";
import { type FakeStandby, startFakeStandby } from "../testing/fake-standby.ts";
import { createIntent } from "../testing/people.ts";
import { bookTestRoutine, fundTestBusiness, insertTestSeller } from "../testing/routines.ts";
import { createOperatorApi } from "./app.ts";

let standby: FakeStandby | undefined;
afterEach(async () => {
  await standby?.stop();
  standby = undefined;
});

beforeAll(() => recordEncryptionKey());

test("metrics show replication lag in bytes and seconds, and without a standby none instead of zero", async () => {
  expect(await readValue("plainbook_replication_standbys")).toBe(0);
  expect(await readValue("plainbook_replication_lag_bytes")).toBeUndefined();
  expect(await readValue("plainbook_replication_lag_seconds")).toBeUndefined();
  const from = await currentPlace();
  standby = await startFakeStandby(serviceConfig().databaseUrl, from);
  standby.apply(from);
  await writeLog(2_000_000);
  await expect.poll(() => readValue("plainbook_replication_lag_bytes")).toBeGreaterThan(2_000_000);
  expect(await readValue("plainbook_replication_standbys")).toBe(1);
  standby.apply(await currentPlace());
  await expect.poll(() => readValue("plainbook_replication_lag_seconds")).toBeGreaterThan(0);
});

test("metrics show the age of the oldest open transaction", async () => {
  await expect.poll(() => readValue("plainbook_oldest_transaction_seconds")).toBeLessThan(1);
  const held = await servicePool().connect();
  await held.query("begin; select from clients limit 1");
  await expect.poll(() => readValue("plainbook_oldest_transaction_seconds")).toBeGreaterThan(1);
  await held.query("rollback");
  held.release();
  await expect.poll(() => readValue("plainbook_oldest_transaction_seconds")).toBeLessThan(1);
});

test("metrics show the WAL retained for an unused slot", async () => {
  await servicePool().query("select pg_create_physical_replication_slot('left_behind', true)");
  try {
    await writeLog(1_000_000);
    expect(await readValue("plainbook_replication_retained_bytes")).toBeGreaterThan(1_000_000);
  } finally {
    await servicePool().query("select pg_drop_replication_slot('left_behind')");
  }
});

test("metrics show a failing archive, the age of the last archived file, and how long the next one has waited", async () => {
  await servicePool().query("select pg_switch_wal()");
  await expect.poll(() => readValue("plainbook_wal_archived_seconds")).toBeLessThan(60);
  expect(await readValue("plainbook_wal_archive_failing")).toBe(0);
  await expect.poll(() => readValue("plainbook_wal_archive_waiting_seconds")).toBe(0);
  const { rows } = await servicePool().query("select current_setting('data_directory') || '/archive-is-full' as file");
  await servicePool().query(`copy (select 1) to '${rows[0]?.file}'`);
  try {
    await writeLog(1000);
    await servicePool().query("select pg_switch_wal()");
    await expect.poll(() => readValue("plainbook_wal_archive_failing")).toBe(1);
    expect(await readValue("plainbook_wal_archive_waiting_seconds")).toBeGreaterThan(0);
  } finally {
    await servicePool().query(`copy (select 1) to program 'rm ${rows[0]?.file}'`);
  }
});

test("metrics show the key's age, and an incomplete or failed rotation", async () => {
  const [current] = serviceConfig().keyring;
  await recordEncryptionKey();
  await servicePool().query("update encryption_keys set current_since_real = now() - interval '100 days'");
  await recordEncryptionKey();
  expect(await readValue("plainbook_encryption_key_age_seconds")).toBeGreaterThanOrEqual(100 * 86_400);
  expect(await readValue("plainbook_encryption_rotation_pending")).toBe(0);

  // A second key, as during a rotation.
  const older = { id: "older-1", bytes: new Uint8Array(32) };
  const { keyring } = serviceConfig();
  Object.assign(serviceConfig(), { keyring: [current, older] });
  expect(await readValue("plainbook_encryption_rotation_pending")).toBe(1);
  const client = await createTestClient();
  const { rows } = await servicePool().query(
    "select customer_endpoint_secret_encrypted as text from clients where id = $1",
    [client.clientId],
  );
  const write = (text: string) =>
    servicePool().query("update clients set customer_endpoint_secret_encrypted = $1 where id = $2", [
      text,
      client.clientId,
    ]);
  await write(rows[0]?.text.replace(/^[^.]+/, btoa('{"alg":"dir","enc":"A256GCM","kid":"lost-1","context":"x"}')));
  await expect(rotateServiceKeys()).rejects.toThrow("lost-1");
  expect(await readValue("plainbook_encryption_rotation_failed")).toBe(1);
  expect(await readValue("plainbook_encryption_rotation_pending")).toBe(1);

  await write(rows[0]?.text);
  expect(await rotateServiceKeys()).toBe(0);
  expect(await readValue("plainbook_encryption_rotation_failed")).toBe(0);
  expect(await readValue("plainbook_encryption_rotation_pending")).toBe(0);
  Object.assign(serviceConfig(), { keyring });
});

test("metrics show a rotation as pending again after another key was current", async () => {
  const { keyring } = serviceConfig();
  onTestFinished(() => void Object.assign(serviceConfig(), { keyring }));
  const [current] = keyring;
  const other = { id: "other-1", bytes: new Uint8Array(32) };
  const backToCurrent = () => Object.assign(serviceConfig(), { keyring: [current, other] });

  backToCurrent();
  expect(await rotateServiceKeys()).toBe(0);
  expect(await readValue("plainbook_encryption_rotation_pending")).toBe(0);
  Object.assign(serviceConfig(), { keyring: [other, current] });
  await recordEncryptionKey();
  backToCurrent();
  await recordEncryptionKey();
  expect(await readValue("plainbook_encryption_rotation_pending")).toBe(1);

  // A rotation moves values to its key even if no process has started with that one.
  expect(await rotateServiceKeys()).toBe(0);
  const unstarted = { id: "unstarted-1", bytes: new Uint8Array(32) };
  await createTestClient();
  expect(await rotateServiceKeys({ keyring: [unstarted, current] })).toBeGreaterThan(0);
  expect(await readValue("plainbook_encryption_rotation_pending")).toBe(1);
  Object.assign(serviceConfig(), { keyring: [current, unstarted] });
  await rotateServiceKeys();
});

test("metrics show how late the oldest due transfer and screening are, and count bookings by outcome", async () => {
  const oldest = (kind: string) => readValue(`plainbook_due_oldest_seconds\\{kind="${kind}"\\}`);
  expect([await oldest("transfer"), await oldest("screening")]).toEqual([0, 0]);
  const client = await createTestClient();
  const business = await fundTestBusiness(client, [5000]);
  const order = { sourceId: business.accountIds[0] ?? "", destinationId: (await insertTestSeller(client)).walletId };
  await bookTestRoutine(business, { ...order, amountCents: 1200 });
  await bookTestRoutine(business, { ...order, amountCents: 999_999 });
  await createIntent(client);
  await servicePool().query("update transfers set due_real_at = now() - interval '90 s'");
  await servicePool().query("update screenings set due_real_at = now() - interval '70 s'");
  expect(await oldest("transfer")).toBeGreaterThanOrEqual(90);
  expect(await oldest("screening")).toBeGreaterThanOrEqual(70);
  await servicePool().query("delete from screenings");
  expect(await readValue('plainbook_bookings_total\\{outcome="created"\\}')).toBe(1);
  expect(await readValue('plainbook_bookings_cents_total\\{outcome="created"\\}')).toBe(1200);
  expect(await readValue('plainbook_bookings_cents_total\\{outcome="insufficient_funds"\\}')).toBe(999_999);
});

test("metrics count failing and disabled endpoints, and what waits for them", async () => {
  const count = async (name: string) => [
    await readValue(`plainbook_${name}\\{state="failing"\\}`),
    await readValue(`plainbook_${name}\\{state="disabled"\\}`),
  ];
  expect([await count("endpoints"), await count("endpoint_waiting")]).toEqual([
    [0, 0],
    [0, 0],
  ]);
  const [failing, alsoFailing, disabled] = [
    await createTestClient(),
    await createTestClient(),
    await createTestClient(),
  ];
  for (const [{ clientId, businessUserId: userId }, change] of [
    [failing, "probe_real_at = now()"],
    [alsoFailing, "probe_real_at = now()"],
    [disabled, "disabled_at = now()"],
  ] as const) {
    const event = {
      clientId,
      userId,
      resourceId: userId,
      webhookType: "user_updated",
      traceId: "ab".repeat(16),
    } as const;
    await inTransaction((tx) => insertDeliveries(tx, [event, event]));
    await servicePool().query(`update webhook_endpoints set ${change} where client_id = $1`, [clientId]);
  }
  const park = "update deliveries set is_due = false, next_attempt_real_at = null where client_id = any ($1)";
  await servicePool().query(park, [[failing, alsoFailing, disabled].map(({ clientId }) => clientId)]);
  expect([await count("endpoints"), await count("endpoint_waiting")]).toEqual([
    [2, 1],
    [4, 2],
  ]);
});

test("metrics show the database's size and the disk's free space", async () => {
  const before = (await readValue("plainbook_database_bytes")) ?? 0;
  expect(before).toBeGreaterThan(1_000_000);
  await servicePool().query("create table large as select repeat('x', 1000) from generate_series(1, 5000)");
  expect(await readValue("plainbook_database_bytes")).toBeGreaterThan(before + 1_000_000);
  await servicePool().query("drop table large");
  const free = await readValue("plainbook_disk_free_bytes");
  expect(free).toBeGreaterThan(0);
  expect(await readValue("plainbook_disk_bytes")).toBeGreaterThan(free ?? 0);
});

test("the dashboard and the alert rules use only metrics that the service exposes", async () => {
  const from = await currentPlace();
  standby = await startFakeStandby(serviceConfig().databaseUrl, from);
  await servicePool().query("select pg_create_physical_replication_slot('of_the_dashboard', true)");
  await reconcile();
  await quarantineRows("transfer", [{ id: "none", reason: "a test" }]);
  await releaseFromQuarantine(database(), "transfer", ["none"]);
  await servicePool().query("select pg_switch_wal()");
  await expect.poll(() => readValue("plainbook_wal_archived_seconds")).toBeDefined();
  standby.apply(from);
  await expect
    .poll(async () => {
      await writeLog(1000);
      standby?.apply(await currentPlace());
      return readValue("plainbook_replication_lag_seconds");
    })
    .toBeDefined();
  const { text } = await readMetrics();
  await servicePool().query("select pg_drop_replication_slot('of_the_dashboard')");
  // Counters and histograms are listed before they have counted anything.
  const exposed = [...text.matchAll(/^# TYPE (\w+) (\w+)/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  const dashboard = JSON.parse(readFileSync("docs/monitoring/dashboard.json", "utf8"));
  const expressions: string[] = [
    ...dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    ),
    ...parse(readFileSync("docs/monitoring/alerts.yaml", "utf8")).groups.flatMap(
      ({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr),
    ),
  ];
  const used = new Set(
    expressions.flatMap((expr) => expr.match(/\b[a-z]+_[a-z_]+\b(?=\s*(?:[[{)]|$|[<>/*]|or\b))/g) ?? []),
  );
  // Harbor's processes expose their own metrics (worker-metrics.test.ts).
  const names = [...used].filter((name) => !/_(?:over_time|quantile|linear)$|^harbor_/.test(name));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !exposed.includes(name))).toEqual([]);
  // Every metric is used by a dashboard or an alert.
  const isUsed = (name: string) =>
    names.some((one) => one.replace(/_bucket$/, "") === name.replace(/_(?:bucket|sum|count)$/, ""));
  expect(exposed.filter((name) => !/^(?:nodejs|process)_/.test(name) && !isUsed(name))).toEqual([]);
});

test("the operator's listener counts all of its requests, callbacks and refusals included", async () => {
  const undecided = async () => ({ kind: "undecided" }) as const;
  const readCallback = async () => Promise.reject(new Error("the module failed"));
  chooseProviders(productionProviders({ screening: { ask: undecided, poll: undecided, readCallback } }));
  onTestFinished(() => chooseProviders(sandboxProviders));
  const api = createOperatorApi();
  const before = readRequestMeters();
  for (const path of ["/callbacks/screening", "/openapi.json", "/nowhere"]) await api.request(path, { method: "POST" });
  const counted = readRequestMeters().matchAll(/^gangway_requests_total\{(.*)\} [1-9]\d*$/gm);
  const added = [...counted].filter(([line]) => !before.includes(line)).map(([, labels]) => labels);
  expect(added.toSorted()).toEqual([
    'listener="operator",method="POST",route="/callbacks/{provider}",status="503"',
    'listener="operator",method="POST",route="none",status="404"',
  ]);
});

test("the queries of the runbooks run on the service's database", async () => {
  const page = readFileSync("docs/runbooks.md", "utf8").replace(/## Payments without an answer[\s\S]*/, "");
  const blocks = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].flatMap(([, text = ""]) => text.split(";"));
  const inline = [...page.matchAll(/`(select [^`]+)`/g)].map(([, text = ""]) => text);
  const queries = [...blocks, ...inline].filter((text) => text.trim() !== "" && !/\(pid\)|drop_replication/.test(text));
  expect(queries.length).toBeGreaterThan(10);
  const none = "00000000-0000-0000-0000-000000000000";
  for (const query of queries) await servicePool().query(`explain ${query.replace("…", none)}`);
});

async function readValue(name: string): Promise<number | undefined> {
  const { text } = await readMetrics();
  const [, value] = new RegExp(`^${name} (\\S+)$`, "m").exec(text) ?? [];
  return value === undefined ? undefined : Number(value);
}

async function currentPlace(): Promise<string> {
  const { rows } = await servicePool().query("select pg_current_wal_lsn() as lsn");
  return rows[0]?.lsn;
}

function writeLog(bytes: number) {
  return servicePool().query("select pg_logical_emit_message(false, 'test', repeat('x', $1), true)", [bytes]);
}
