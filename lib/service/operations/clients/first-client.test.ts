import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { clientChange, managedClient } from "../../../contract/operator.ts";
import { basicCredentials } from "../../../kit/testing/basic-credentials.ts";
import { freePort, productionSettings } from "../../testing/loaded-modules.ts";
import { personDetails } from "../../testing/people.ts";

// As docs/operations.md has it, "The first client".

test("a production service with an empty database gets its first client by the command alone", async () => {
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

  const intend = () =>
    fetch(`${url}/v1/user_intent`, {
      method: "POST",
      headers: {
        authorization: basicCredentials("shop", secrets["client_secret"] ?? ""),
        "content-type": "application/json",
      },
      body: JSON.stringify(personDetails()),
    });
  expect((await intend()).status).toBe(201);

  const operate = (path: string, body?: object) =>
    fetch(`http://127.0.0.1:${operatorPort}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  expect(await (await operate("/clients")).json()).toMatchObject({ clients: [{ client_id: "shop" }] });
  expect((await operate("/clients/shop/disable", { by: "dana" })).status).toBe(200);
  expect((await intend()).status).toBe(401);

  // What was created is nothing that a production process refuses to start on.
  service.kill("SIGTERM");
  expect(await once(service, "exit")).toEqual([0, null]);
  const again = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env: { ...settings, ROLES: "service-api" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  onTestFinished(() => void again.kill("SIGKILL"));
  expect((await Promise.race([once(again, "message"), once(again, "exit")]))[0]).toBe("ready");
}, 90_000);
