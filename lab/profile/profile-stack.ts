import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { migrateDatabase } from "../../lib/kit/migrate-database.ts";
import { servicePool } from "../../lib/service/storage/database.ts";
import { freePort, startCluster } from "../../scripts/embedded-postgres.ts";
import { testClusterFolder } from "../../scripts/test-cluster.ts";
import { createRunClient } from "../crash/people.ts";
import { heapLimits } from "./heap-limits.ts";
import type { RequestLoad } from "./send-requests.ts";

/** "webhooks" profiles the worker, the others the API. */
export const profileJobs = ["user", "refresh", "booking", "webhooks"] as const;
export type ProfileJob = (typeof profileJobs)[number];

export type ProfiledProcess = { ask: <Answer>(question: "record" | "save" | "usage") => Promise<Answer> };

export type ProfileStack = {
  process: ProfiledProcess;
  load: RequestLoad;
  postgresPid: number;
  stop: () => Promise<void>;
};

const folder = resolve("test-results/profile");
// Same flags as `scripts/run.mjs`.
const quickLoading = ["--import", "./scripts/quick-loading.mjs"];

/** Starts a durable PostgreSQL, an API, and a worker as processes, and prepares the job's data. */
export async function startProfileStack(job: ProfileJob): Promise<ProfileStack> {
  mkdirSync(folder, { recursive: true });
  const directory = testClusterFolder("profile");
  const cluster = await startCluster(directory);
  const receiver = createServer(
    (request, response) => void request.resume().on("end", () => response.writeHead(204).end()),
  );
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const children: ChildProcess[] = [];

  async function stop(): Promise<void> {
    await Promise.all(children.map(end));
    await servicePool().end();
    receiver.close();
    receiver.closeAllConnections();
    cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }

  try {
    const url = `http://127.0.0.1:${await freePort()}`;
    const settings = {
      ...parseEnv(readFileSync(".env.example", "utf8")),
      SERVICE_DATABASE_URL: cluster.url("postgres"),
      SERVICE_BASE_URL: url,
      SERVICE_AUTH_URL: url,
      // Rate limits stay active but high enough for the load.
      SERVICE_REQUESTS_PER_SECOND_MAX: "1000000",
      LOG_LEVEL: "info",
    };
    Object.assign(process.env, settings, { LOG_LEVEL: "silent" });
    await migrateDatabase(settings.SERVICE_DATABASE_URL, "lib/service/storage/migrations");
    const api = await startProcess("service-api", { ...settings, PROFILE_FILE: fileOf(job, "api") });
    children.push(api);
    const worker = await startProcess("service-worker", { ...settings, PROFILE_FILE: fileOf(job, "worker") });
    children.push(worker);
    const { port } = receiver.address() as AddressInfo;
    const load = { url, next: await prepareJob(job, `http://127.0.0.1:${port}`) };
    return { process: profiled(job === "webhooks" ? worker : api), load, postgresPid: cluster.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function fileOf(job: ProfileJob, name: string): string {
  return resolve(folder, `${job}-${name}.cpuprofile`);
}

async function startProcess(role: string, settings: Record<string, string | undefined>): Promise<ChildProcess> {
  const log = openSync(resolve(folder, `${role}.log`), "w");
  const child = spawn(
    process.execPath,
    [...heapLimits, ...quickLoading, "--import", "./scripts/profile/record-profile.ts", "server.ts"],
    {
      env: {
        ...settings,
        PATH: process.env["PATH"],
        NODE_OPTIONS: process.env["NODE_OPTIONS"],
        NODE_ENV: "production",
        ROLES: role,
      },
      stdio: ["ignore", log, log, "ipc"],
    },
  );
  closeSync(log);
  const early = new AbortController();
  child.once("exit", (code) => early.abort(new Error(`The ${role} ended with ${code}; ${folder} says why.`)));
  await once(child, "message", { signal: early.signal });
  return child;
}

function profiled(child: ChildProcess): ProfiledProcess {
  return {
    ask: async (question) => {
      child.send(question);
      const [{ answer }] = await once(child, "message");
      return answer;
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

async function prepareJob(job: ProfileJob, receiverUrl: string): Promise<() => string> {
  const sellerCount = 200;
  const client = await createRunClient({ webhookUrl: `${receiverUrl}/webhooks`, sourceCount: 1, sellerCount });
  const basic = client.basic;
  const bearer = `Bearer ${client.businessToken}`;
  let count = 0;
  switch (job) {
    case "user":
      return () => requestText("GET", "/v1/user", bearer);
    case "refresh":
      return () => {
        const { refreshToken = "" } = client.sellers[count++ % sellerCount] ?? {};
        const body = { grant_type: "refresh_token", refresh_token: refreshToken };
        return requestText("POST", "/v1/oauth/token", basic, body);
      };
    case "booking":
    case "webhooks":
      return () => {
        const destination_id = client.walletIds[count++ % sellerCount];
        const body = { name: "Payout", amount: 0.01, source_id: client.sourceIds[0], destination_id };
        return requestText("POST", "/v1/routines/book", bearer, body, { "idempotency-key": randomUUID() });
      };
  }
}

function requestText(
  method: string,
  path: string,
  authorization: string,
  body?: object,
  more: Record<string, string> = {},
): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const { host } = new URL(process.env["SERVICE_BASE_URL"] ?? "");
  const length = body && { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
  const headers = { host, accept: "application/json", authorization, ...length, ...more };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}
