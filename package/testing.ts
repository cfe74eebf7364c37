import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** How to start the service; each is an option of the `plainbook` command. */
export type StartOptions = {
  /** A free port by default. */
  port?: number;
  /** The interface to listen on; 127.0.0.1 by default. */
  host?: string;
  /** Where browsers and apps reach it, if not at that host and port; also the issuer. */
  publicUrl?: string;
  /** The folder that keeps its data between starts; by default nothing is kept. */
  data?: string;
  clientId?: string;
  clientSecret?: string;
  clientName?: string;
  redirectUri?: string;
  webhookUrl?: string;
  customersUrl?: string;
  /** Whether visits need an identity verification token; on by default. */
  trustedAuthentication?: "on" | "off";
  /** The service's settings as environment variables, such as `{ SERVICE_SETTLEMENT_DELAY_MS: "0" }`. */
  settings?: Record<string, string>;
};

/** Everything that an app needs to be a client of the service. */
export type Credentials = {
  clientId: string;
  clientSecret: string;
  provider: string;
  webhookSecret: string;
  customerEndpointSecret: string;
  businessProfileId: string;
  businessUserId: string;
  businessUserPhone: string;
};

/** Where a fresh client is reached. It doesn't have the addresses that you leave out. */
export type ClientAddresses = { redirectUris?: string[]; webhookUrl?: string; customersUrl?: string };

/** A service in its own process, which runs until `stop` or until the process that started it ends. */
export type RunningService = {
  /** The API's base address, without a trailing slash. */
  baseUrl: string;
  /** The base address of the authorization pages. */
  authUrl: string;
  /** The client that the options describe. */
  credentials: Credentials;
  /**
   * Creates another client, with its own clock, business user and funded account, so that tests can run side by side. Without
   * a `customersUrl` the sandbox vouches for its customers.
   */
  freshClient: (addresses?: ClientAddresses) => Promise<Credentials>;
  /**
   * Advances a client's clock (that of `credentials` by default) and returns its new time. Anything that falls due happens at
   * once.
   */
  advanceClock: (seconds: number, client?: Pick<Credentials, "clientId" | "clientSecret">) => Promise<Date>;
  /** Stops the service and its database. */
  stop: () => Promise<void>;
};

type CommandOptions = Omit<StartOptions, "settings">;
const names: Record<keyof CommandOptions, string> = {
  port: "--port",
  host: "--host",
  publicUrl: "--public-url",
  data: "--data",
  clientId: "--client-id",
  clientSecret: "--client-secret",
  clientName: "--client-name",
  redirectUri: "--redirect-uri",
  webhookUrl: "--webhook-url",
  customersUrl: "--customers-url",
  trustedAuthentication: "--trusted-authentication",
};

/**
 * Starts Plainbook and resolves once it answers, after a few seconds. If it can't start, rejects with what it printed.
 */
export async function startService({ settings = {}, ...options }: StartOptions = {}): Promise<RunningService> {
  const given: CommandOptions = { ...options, port: options.port ?? 0, data: options.data ?? "memory" };
  const words = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`${names[name as keyof CommandOptions]}=${value}`],
  );
  // With a channel, so that the service ends when this process does, however it ends.
  const child = spawn(process.execPath, [fileURLToPath(commandFile), ...words], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  try {
    const ready = await readReadiness(child);
    const credentials = credentialsFrom(ready);
    const { base_url: baseUrl = "", auth_url: authUrl = "" } = ready;
    return {
      baseUrl,
      authUrl,
      credentials,
      freshClient: (addresses) => makeClient(baseUrl, credentials, addresses),
      advanceClock: async (seconds, client = credentials) => {
        const { now = "" } = await call(baseUrl, client, "POST", "/sandbox/clock/advance", { seconds });
        return new Date(now);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const commandFile = new URL("./plainbook.mjs", import.meta.url);

type Answer = Record<string, string>;

function readReadiness(child: ChildProcess): Promise<Answer> {
  let output = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-8000);
  });
  return new Promise((resolve, reject) => {
    if (child.stdout) createInterface(child.stdout).once("line", (line) => resolve(JSON.parse(line) as Answer));
    child.once("error", reject);
    child.once("close", () => reject(new Error(`Plainbook did not start. ${output.trim()}`)));
  });
}

function credentialsFrom(answer: Answer): Credentials {
  const field = (name: string) => answer[name] ?? "";
  return {
    clientId: field("client_id"),
    clientSecret: field("client_secret"),
    provider: field("provider"),
    webhookSecret: field("webhook_secret"),
    customerEndpointSecret: field("customer_endpoint_secret"),
    businessProfileId: field("business_profile_id"),
    businessUserId: field("business_user_id"),
    businessUserPhone: field("business_user_phone"),
  };
}

async function makeClient(
  baseUrl: string,
  known: Credentials,
  { redirectUris = [], webhookUrl, customersUrl }: ClientAddresses = {},
): Promise<Credentials> {
  const client = credentialsFrom(await call(baseUrl, known, "POST", "/sandbox/clients"));
  await call(baseUrl, client, "PUT", "/sandbox/client", {
    redirect_uris: redirectUris,
    customers_url: customersUrl ?? null,
  });
  if (webhookUrl) await call(baseUrl, client, "PUT", "/sandbox/webhook_endpoint", { url: webhookUrl });
  return client;
}

async function call(
  baseUrl: string,
  { clientId, clientSecret }: Pick<Credentials, "clientId" | "clientSecret">,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  const headers = { authorization: `Basic ${btoa(pair)}`, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
