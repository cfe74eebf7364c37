import { execFile, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { promisify } from "node:util";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { clientChange, managedClient } from "../../../contract/operator.ts";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { newId } from "../../../kit/ids.ts";
import { freePort, productionSettings } from "../../testing/loaded-modules.ts";
import { personDetails } from "../../testing/people.ts";

// e2e/taking-live.spec.ts continues to the first payment.

test("the command alone creates the first client of an empty production database", async () => {
  const name = `first_client_${process.pid}`;
  const admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  onTestFinished(async () => {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  });
  await admin.query(`create database ${name}`);
  const database = new URL(inject("postgresUrl"));
  database.pathname = name;
  const owner = new pg.Client({ connectionString: database.href });
  await owner.connect();
  // The database is dropped while it runs.
  owner.on("error", () => {});
  const [url, operatorPort] = [`http://127.0.0.1:${await freePort()}`, String(await freePort())];
  const operatorToken = "operator-token-of-the-first-client-01";
  const settings = {
    ...process.env,
    ...productionSettings(),
    SERVICE_BASE_URL: url,
    SERVICE_AUTH_URL: url,
    SERVICE_DATABASE_URL: database.href,
    OPERATOR_PORT: operatorPort,
    OPERATOR_TOKEN: operatorToken,
    PROVIDERS: "./deploy/providers.example.ts",
    SCREENING_SECRET: "the provider's",
    NODE_ENV: "production" as const,
    LOG_LEVEL: "silent",
  };
  const client = async (...words: string[]) => {
    const parameters = ["scripts/run.mjs", "scripts/client.ts", ...words, "--json"];
    return JSON.parse((await promisify(execFile)(process.execPath, parameters, { env: settings })).stdout);
  };
  await expect(client("show")).rejects.toMatchObject({
    code: 1,
    stderr: "The database is empty: start the service or run `npm run migrate -- service` first.\n",
  });

  const service = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env: { ...settings, ROLES: "service-api" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  onTestFinished(() => void service.kill("SIGKILL"));
  expect((await Promise.race([once(service, "message"), once(service, "exit")]))[0]).toBe("ready");

  const by = ["--by", "dana"];
  for (const id of ["demo-shop", "sandbox-shop"]) {
    await expect(client("create", id, "--name", "Shop", ...by)).rejects.toMatchObject({ code: 2 });
  }
  const unencrypted = ["--redirect-uri", "http://shop.example/callback", ...by];
  await expect(client("create", "shop", "--name", "Corner Shop", ...unencrypted)).rejects.toMatchObject({
    code: 2,
    stderr: "--redirect-uri: Must be an https address: http is allowed only for loopback addresses.\n",
  });
  const { secrets = {} } = clientChange.parse(await client("create", "shop", "--name", "Corner Shop", ...by));
  const business = ["--first-name", "Corner", "--last-name", "Shop", "--phone", "+12025550123"];
  const ofSandbox = client("business", "shop", ...business, "--email", "operations@partner.example", ...by);
  await expect(ofSandbox).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("--email: ") });
  await client("business", "shop", ...business, "--email", "books@shop.example", ...by);
  const wire = ["--amount", "25000", "--treasury", "First Bank 4411", "--reference", "wire 42"];
  await client("fund", "shop", ...wire, ...by);
  const shown = managedClient.parse(await client("show", "shop"));
  expect(shown.business?.accounts).toMatchObject([{ current_balance: 25_000, available_balance: 25_000 }]);
  expect(shown.changes.map(({ action }) => action)).toEqual(["fund", "business", "create"]);

  const asClient = { authorization: basicCredentials("shop", secrets["client_secret"] ?? "") };
  const intend = () =>
    fetch(`${url}/v1/user_intent`, {
      method: "POST",
      headers: { ...asClient, "content-type": "application/json" },
      body: JSON.stringify(personDetails()),
    });
  const intent = await intend();
  expect(intent.status).toBe(201);
  const { id: reference } = await intent.json();

  // The example's screening provider decides later.
  const callBack = (secret: string) => {
    const body = JSON.stringify({ id: "case-1", reference, outcome: "declined" });
    const headers = { "x-signature": createHmac("sha256", secret).update(body).digest("hex") };
    return fetch(`http://127.0.0.1:${operatorPort}/callbacks/screening`, { method: "POST", headers, body });
  };
  const statusOfIntent = async () =>
    (await (await fetch(`${url}/v1/user_intent/${reference}`, { headers: asClient })).json()).status;
  expect([(await callBack("another")).status, await statusOfIntent()]).toEqual([401, "pending"]);
  expect([(await callBack("the provider's")).status, await statusOfIntent()]).toEqual([204, "rejected"]);

  const operate = (path: string, body?: object) =>
    fetch(`http://127.0.0.1:${operatorPort}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  expect(await (await operate("/clients")).json()).toMatchObject({ clients: [{ client_id: "shop" }] });
  expect((await operate("/clients/shop/disable", { by: "dana" })).status).toBe(200);
  expect((await intend()).status).toBe(401);

  // A person's photo ID is read from where a provider stores it.
  const photo = [
    "scripts/run.mjs",
    "scripts/client.ts",
    "photo",
    "shop",
    "--user-id",
    newId(),
    "--out",
    "photo.jpg",
    ...by,
  ];
  const env = { ...settings, PROVIDERS: "./no-such-providers.ts" };
  await expect(promisify(execFile)(process.execPath, photo, { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("PROVIDERS=./no-such-providers.ts can't be loaded"),
  });

  // A production process accepts the created client: it complains only about the missing provider.
  service.kill("SIGTERM");
  expect(await once(service, "exit")).toEqual([0, null]);
  await owner.query("insert into photo_deletions (id, due_real_at) values (gen_random_uuid(), now())");
  const start = promisify(execFile)(process.execPath, ["server.ts"], { env: { ...settings, ROLES: "service-api" } });
  await expect(start).rejects.toMatchObject({
    stderr: expect.stringContaining(
      "SERVICE_MODE=production needs a provider for photoIds: ./deploy/providers.example.ts exports none",
    ),
  });
  await owner.query("delete from photo_deletions");
  const restarted = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env: { ...settings, ROLES: "service-api" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  onTestFinished(() => void restarted.kill("SIGKILL"));
  expect((await Promise.race([once(restarted, "message"), once(restarted, "exit")]))[0]).toBe("ready");
});
