import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clientChange, managedClient } from "../../../contract/operator.ts";
import { newId } from "../../../kit/ids.ts";
import { servicePool } from "../../storage/database.ts";
import { startDatabaseProxy } from "../../testing/database-proxy.ts";
import { changesOf, rowsOfClient } from "../../testing/operator.ts";
import { insertTestIntent, insertTestPhotoId, insertTestUser, testPhotoId } from "../../testing/people.ts";

type Ended = { code: number; stdout: string; stderr: string };

function client(words: string[], settings: Record<string, string> = {}): Promise<Ended> {
  return run(["scripts/client.ts", ...words], settings);
}

function run(words: string[], settings: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...settings };
    const limits = { env, timeout: 120_000, killSignal: "SIGKILL" as const };
    execFile(process.execPath, ["scripts/run.mjs", ...words], limits, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
  });
}

async function create(): Promise<string> {
  const clientId = newId();
  const { code } = await client(["create", clientId, "--name", "Corner Shop", "--by", "dana"]);
  expect(code).toBe(0);
  return clientId;
}

test("0: makes a change, records who made it, and prints it as text or JSON", async () => {
  const clientId = newId();
  const created = await client(["create", clientId, "--name", "Corner Shop", "--by", "dana", "--json"]);
  expect([created.code, created.stderr]).toEqual([0, ""]);
  const { secrets = {} } = clientChange.parse(JSON.parse(created.stdout));
  expect(Object.keys(secrets)).toHaveLength(3);
  const shown = await client(["show", clientId]);
  expect(shown.stdout).toContain(`client_id: ${clientId}\nname: Corner Shop\n`);
  const { stdout } = await client(["show", clientId, "--json"]);
  expect(managedClient.parse(JSON.parse(stdout)).changes).toMatchObject([
    { action: "create", by: "dana", via: "command" },
  ]);
  for (const secret of Object.values(secrets)) expect(shown.stdout + stdout).not.toContain(secret);
  expect((await client(["show"])).stdout).toContain(`client_id: ${clientId}`);
  const { userIntentId = "" } = await insertTestIntent({ clientId }, { status: "pending" });
  const decision = ["--user-intent-id", userIntentId, "--status", "approved", "--by", "dana"];
  expect((await client(["decide", clientId, ...decision])).code).toBe(0);
});

test("2: names the invalid option in one sentence, and changes nothing", async () => {
  const clientId = await create();
  const before = await rowsOfClient(clientId);
  const wrong: [string[], string][] = [
    [["disable", clientId], "--by: This field is required."],
    [["disable", "nobody", "--by", "dana"], "nobody: There is no client with this id."],
    [["show", "nobody"], "nobody: There is no client with this id."],
    [["enable", clientId, "--by", "dana"], `${clientId}: This client is already enabled.`],
    [
      ["fund", clientId, "--amount", "1.001", "--treasury", "Bank", "--reference", "1", "--by", "dana"],
      "--amount: Must have at most two decimals.",
    ],
    [
      ["fund", clientId, "--amount", "99999999999999999", "--treasury", "Bank", "--reference", "1", "--by", "dana"],
      "--amount: Must be an amount in USD of at most 1000000000000.",
    ],
    [
      ["webhook", clientId, "--url", "http://10.1.2.3/hooks", "--by", "dana"],
      "--url: 10.1.2.3 is not a public address, so webhooks and customer endpoints can't use it: add 10.0.0.0/8 to SERVICE_OUTBOUND_NETWORKS to allow it.",
    ],
    [
      ["redirects", clientId, "--add", "shop", "--by", "dana"],
      "--add: Must be an address like https://partner.example/path.",
    ],
    [
      ["webhook", clientId, "--url", "https://shop:key@shop.example/hooks", "--by", "dana"],
      "--url: Must not have a user name or password.",
    ],
    [
      ["trusted", clientId, "on", "--customers-url", "https://shop.example/?key=1", "--by", "dana"],
      "--customers-url: Must not have a query or fragment.",
    ],
  ];
  const ended = await Promise.all(wrong.map(([words]) => client(words)));
  expect(ended).toEqual(wrong.map(([, sentence]) => ({ code: 2, stdout: "", stderr: `${sentence}\n` })));
  expect(await rowsOfClient(clientId)).toEqual(before);
});

test("a dry run prints the result and saves nothing", async () => {
  const clientId = await create();
  const before = await rowsOfClient(clientId);
  const { code, stdout } = await client(["rotate-secret", clientId, "client", "--by", "dana", "--dry-run"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("dry_run: true")]);
  expect(stdout).not.toContain("gwk_");
  expect(await rowsOfClient(clientId)).toEqual(before);
});

test("a photo ID is written to a new file that only its owner can read; otherwise no file is created or changed", async () => {
  const clientId = await create();
  const folder = await mkdtemp(join(tmpdir(), "photo-id-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [file, taken] = [join(folder, "id.jpg"), join(folder, "taken.jpg")];
  await writeFile(taken, "another");
  const [{ userId }, unsent] = [await insertTestUser({ clientId }), await insertTestUser({ clientId })];
  await insertTestPhotoId({ clientId }, userId);
  const view = (id: string, out: string, ...more: string[]) =>
    client(["photo", clientId, "--user-id", id, "--out", out, "--by", "dana", "--json", ...more]);
  const before = await rowsOfClient(clientId);
  const refused = await Promise.all([
    view(userId, taken),
    view(userId, join(folder, "nowhere", "id.jpg")),
    view(unsent.userId, join(folder, "unsent.jpg")),
    view(userId, join(folder, "dry.jpg"), "--dry-run"),
  ]);
  expect(refused.map(({ code, stderr }) => [code, stderr])).toEqual([
    [2, `--out: ${taken} exists already.\n`],
    [2, `--out: ${join(folder, "nowhere", "id.jpg")} can't be written.\n`],
    [2, "--user-id: This person has sent no photo ID.\n"],
    [0, ""],
  ]);
  expect(await rowsOfClient(clientId)).toEqual(before);
  expect([await readdir(folder), await readFile(taken, "utf8")]).toEqual([["taken.jpg"], "another"]);

  const { code, stdout } = await view(userId, file);
  expect([code, clientChange.parse(JSON.parse(stdout)).photo]).toEqual([0, undefined]);
  expect([new Uint8Array(await readFile(file)), (await stat(file)).mode & 0o777]).toEqual([testPhotoId, 0o600]);
  expect(await changesOf(clientId)).toMatchObject([
    { action: "create" },
    { action: "photo", operator: "dana", via: "command", details: { user_id: userId, media_type: "image/jpeg" } },
  ]);
});

test("1: reports an unreachable database without its password", async () => {
  const away = { SERVICE_DATABASE_URL: "postgres://gangway:hidden@127.0.0.1:1/books" };
  const { code, stderr } = await client(["show"], away);
  expect([code, stderr]).toEqual([1, expect.stringContaining("ECONNREFUSED")]);
  expect(stderr).not.toContain("hidden");
});

test("a command or process stops before writing anything with a key that isn't the database's key of that id", async () => {
  const clientId = await create();
  const before = await rowsOfClient(clientId);
  const settings = {
    SERVICE_ENCRYPTION_KEYS: `demo-1:${randomBytes(32).toString("base64")}`,
    ROLES: "service-worker",
    LOG_LEVEL: "silent",
  };
  const sentence =
    'SERVICE_ENCRYPTION_KEYS: the key "demo-1" differs from the key with this id that encrypted the database. Restore that key.\n';
  expect(await client(["rotate-secret", clientId, "webhook", "--by", "dana"], settings)).toEqual({
    code: 1,
    stdout: "",
    stderr: sentence,
  });
  expect(await run(["server.ts"], settings)).toMatchObject({ code: 1, stderr: sentence });
  expect(await rowsOfClient(clientId)).toEqual(before);

  const older = `new-1:${randomBytes(32).toString("base64")},${process.env["SERVICE_ENCRYPTION_KEYS"]}`;
  expect(await client(["show", clientId], { SERVICE_ENCRYPTION_KEYS: older })).toMatchObject({ code: 0 });
  const lost = `new-1:${randomBytes(32).toString("base64")}`;
  expect(await client(["show", clientId], { SERVICE_ENCRYPTION_KEYS: lost })).toMatchObject({ code: 0 });
});

test("1: every command stops if the database lacks a cell, and says how to create it", async () => {
  const settings = { SERVICE_CELLS: "2" };
  const ended = await Promise.all([
    client(["show"], settings),
    client(["create", newId(), "--name", "Corner Shop", "--by", "dana"], settings),
    run(["scripts/rotate-keys.ts", "service"], settings),
    run(["scripts/reconcile.ts"], settings),
    run(["scripts/cell-move.ts", "2", "127.0.0.1:1"], settings),
  ]);
  const stderr =
    "SERVICE_CELLS names cell 2, which the database does not have: run `npm run migrate -- service` first.\n";
  expect(ended).toEqual([1, 1, 1, 2, 1].map((code) => ({ code, stdout: "", stderr })));
});

test("1: every command stops if SERVICE_CELLS leaves out a cell with clients", async () => {
  await servicePool().query("insert into client_cells (client_id, cell) values ('elsewhere', 2)");
  onTestFinished(async () => {
    await servicePool().query("delete from client_cells where client_id = 'elsewhere'");
  });
  const ended = await Promise.all([
    client(["show"]),
    run(["scripts/rotate-keys.ts", "service"], {}),
    run(["scripts/reconcile.ts"], {}),
    run(["scripts/migrate.ts", "service"], {}),
  ]);
  const stderr = "SERVICE_CELLS is 1, but there are clients in cell 2: set it to 2 or more.\n";
  expect(ended).toEqual([1, 1, 2, 1].map((code) => ({ code, stdout: "", stderr })));
});

test("a change whose COMMIT response was lost is reported as made or not made", async () => {
  const clientId = await create();
  const proxy = await startDatabaseProxy();
  onTestFinished(() => proxy.stop());
  const loseCommit = (fate: "cut before" | "cut after") => {
    let changing: object | undefined;
    proxy.judge((message, connection) => {
      const text = message.toString("latin1");
      if (text.includes('insert into "operator_changes"')) changing = connection;
      if (changing !== connection || !text.includes("commit")) return "pass";
      proxy.judge(() => "pass");
      return fate;
    });
  };
  const through = { SERVICE_DATABASE_URL: proxy.url };
  for (const words of [
    ["disable", clientId, "--by", "dana"],
    ["create", newId(), "--name", "Corner Shop", "--by", "dana"],
  ]) {
    loseCommit("cut before");
    const { code, stderr } = await client(words, through);
    // It may not be known within 5 s, because PostgreSQL keeps the transaction open for longer.
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Connection terminated|`npm run client -- show`/)]);
    expect(await changesOf(words[1] ?? "")).toHaveLength(words[0] === "create" ? 0 : 1);
    loseCommit("cut after");
    expect(await client(words, through)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`action: ${words[0]}`),
    });
    expect(await changesOf(words[1] ?? "")).toHaveLength(words[0] === "create" ? 1 : 2);
  }
});
