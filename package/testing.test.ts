import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeServer, startFakeServer } from "../lib/kit/testing/fake-server.ts";
import { isAlive } from "../scripts/processes.ts";
import type { startService } from "./testing.ts";

// Tests the options that startService passes to the command, and its calls to the service. A stand-in command records its
// options; e2e/package.spec.ts starts the real one.
let folder: string;
let service: FakeServer;
let start: typeof startService;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "gangway-test-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  cpSync("package/testing.ts", join(folder, "testing.ts"));
  service = await startFakeServer();
  service.answer(({ path }, response) => {
    const answers: Record<string, object> = {
      "/sandbox/clients": { ...credentials, client_id: "fresh", client_secret: "fresh secret" },
      "/sandbox/clock/advance": { now: "2030-01-01T00:00:00.000Z", offset_seconds: 60 },
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers[path] ?? {}));
  });
  command(`
    writeFileSync(started, JSON.stringify({ pid: process.pid, words: process.argv.slice(2), delay: process.env.DELAY }));
    process.on("disconnect", () => { rmSync(started); process.exit(0); });
    process.on("SIGTERM", () => process.exit(0));
    console.log(${JSON.stringify(JSON.stringify({ base_url: service.url, auth_url: "http://auth", ...credentials }))});`);
  start = ((await import(pathToFileURL(join(folder, "testing.ts")).href)) as { startService: typeof startService })
    .startService;
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const credentials = {
  client_id: "app",
  client_secret: "secret of app",
  provider: "app",
  webhook_secret: "whsec_a",
  customer_endpoint_secret: "b",
  business_profile_id: "c",
  business_user_id: "d",
  business_user_phone: "+12025550100",
};

const started = () => JSON.parse(readFileSync(join(folder, "started"), "utf8")) as Started;
type Started = { pid: number; words: string[]; delay?: string };

function command(does: string): void {
  const imports = `import { rmSync, writeFileSync } from "node:fs";\nconst started = ${JSON.stringify(join(folder, "started"))};`;
  writeFileSync(join(folder, "plainbook.mjs"), imports + does);
}

test("returns the addresses and credentials that the command printed, after one line", async () => {
  const { baseUrl, authUrl, credentials: clientCredentials, stop } = await start();
  await stop();
  expect({ baseUrl, authUrl }).toEqual({ baseUrl: service.url, authUrl: "http://auth" });
  expect(clientCredentials).toEqual({
    clientId: "app",
    clientSecret: "secret of app",
    provider: "app",
    webhookSecret: "whsec_a",
    customerEndpointSecret: "b",
    businessProfileId: "c",
    businessUserId: "d",
    businessUserPhone: "+12025550100",
  });
});

test("by default: a free port, and data that isn't kept", async () => {
  const { stop } = await start();
  expect(started().words).toEqual(["--port=0", "--data=memory"]);
  await stop();
});

test("passes on every option and setting, and keeps a named data folder", async () => {
  const options = {
    port: 4010,
    host: "0.0.0.0",
    publicUrl: "http://localhost:5000",
    data: folder,
    clientId: "shop",
    clientSecret: "s",
    clientName: "The Shop",
    redirectUri: "http://localhost/r",
    webhookUrl: "http://localhost/w",
    customersUrl: "http://localhost/c",
    trustedAuthentication: "off",
  } as const;
  const { stop } = await start({ ...options, settings: { DELAY: "7" } });
  await stop();
  expect(started()).toMatchObject({
    delay: "7",
    words: [
      "--port=4010",
      "--host=0.0.0.0",
      "--public-url=http://localhost:5000",
      `--data=${folder}`,
      "--client-id=shop",
      "--client-secret=s",
      "--client-name=The Shop",
      "--redirect-uri=http://localhost/r",
      "--webhook-url=http://localhost/w",
      "--customers-url=http://localhost/c",
      "--trusted-authentication=off",
    ],
  });
});

test("stop returns once the command has ended", async () => {
  const { stop } = await start();
  const { pid } = started();
  expect(isAlive(pid)).toBe(true);
  await stop();
  expect(isAlive(pid)).toBe(false);
});

test("the command has an IPC channel, which closes when its parent exits", async () => {
  const program = join(folder, "program.ts");
  writeFileSync(
    program,
    `import { startService } from "./testing.ts";\nawait startService();\nprocess.kill(process.pid, "SIGKILL");`,
  );
  expect(spawnSync(process.execPath, [program], { env: { ...process.env, TMPDIR: folder } }).signal).toBe("SIGKILL");
  await expect.poll(() => existsSync(join(folder, "started"))).toBe(false);
});

test("rejects with the command's error if it can't start", async () => {
  command(`process.stderr.write("Port 4000 is in use.\\n"); process.exit(1);`);
  await expect(start()).rejects.toThrow("Plainbook did not start. Port 4000 is in use.");
});

test("a fresh client has the given addresses", async () => {
  const running = await start();
  const client = await running.freshClient({ redirectUris: ["http://localhost/r"], webhookUrl: "http://localhost/w" });
  await running.freshClient({ customersUrl: "http://localhost/c" });
  await running.stop();
  expect(client).toMatchObject({ clientId: "fresh", clientSecret: "fresh secret", webhookSecret: "whsec_a" });
  expect(service.requests.map(({ method, path, body }) => [method, path, body && JSON.parse(body)])).toEqual([
    ["POST", "/sandbox/clients", ""],
    ["PUT", "/sandbox/client", { redirect_uris: ["http://localhost/r"], customers_url: null }],
    ["PUT", "/sandbox/webhook_endpoint", { url: "http://localhost/w" }],
    ["POST", "/sandbox/clients", ""],
    ["PUT", "/sandbox/client", { redirect_uris: [], customers_url: "http://localhost/c" }],
  ]);
  const [asApp, asFresh] = service.requests.map(({ headers }) => headers.authorization);
  expect(asApp).toBe(`Basic ${btoa("app:secret%20of%20app")}`);
  expect(asFresh).toBe(`Basic ${btoa("fresh:fresh%20secret")}`);
});

test("advanceClock moves the clock of the given client, or of the first one, and returns its time", async () => {
  const running = await start();
  expect(await running.advanceClock(60)).toEqual(new Date("2030-01-01T00:00:00Z"));
  await running.advanceClock(7, { clientId: "fresh", clientSecret: "x" });
  await running.stop();
  expect(service.requests.map(({ body, headers }) => [body, headers.authorization])).toEqual([
    ['{"seconds":60}', `Basic ${btoa("app:secret%20of%20app")}`],
    ['{"seconds":7}', `Basic ${btoa("fresh:x")}`],
  ]);
});

test("a refusal is thrown with its request and response", async () => {
  service.answer((_request, response) => response.writeHead(401).end("no"));
  const running = await start();
  await expect(running.advanceClock(1)).rejects.toThrow("POST /sandbox/clock/advance: 401 no");
  await running.stop();
});
