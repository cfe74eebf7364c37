import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** A client of the service made for one test, with a person who is to authorize it. */
export type SandboxClient = {
  clientId: string;
  redirectUri: string;
  /** Where this client sends its person; `more` adds or changes parameters. */
  addressFor: (more?: Record<string, string>) => Promise<string>;
  /** The newest code that was texted to the person. */
  readTextedCode: () => Promise<string>;
  /** The status of the user whom the person became; undefined before. */
  readStatus: () => Promise<string | undefined>;
};

/**
 * Makes a client without session tokens, whose people are asked for a code, through the service's sandbox calls only.
 * @param status what the screening of its person is to ask for, if anything
 */
export async function createSandboxClient(
  { serviceUrl, authUrl }: { serviceUrl: string; authUrl: string },
  redirectUri: string,
  { status }: { status?: "retry" | "document" } = {},
): Promise<SandboxClient> {
  const made = await call("POST", "/sandbox/clients", demoCredentials());
  const credentials = basic(String(made["client_id"]), String(made["client_secret"]));
  const settings = { redirect_uris: [redirectUri], trusted_authentication: false };
  await call("PUT", "/sandbox/client", credentials, settings);
  const phone = `+1628${String(Math.floor(2e6 + Math.random() * 7e6))}`;

  async function addressFor(more: Record<string, string> = {}): Promise<string> {
    const intent = await call("POST", "/v1/user_intent", credentials, { ...person, phone });
    if (status) await call("POST", `/sandbox/user_intents/${intent["id"]}/status`, credentials, { status });
    const query = new URLSearchParams({
      client_id: String(made["client_id"]),
      redirect_uri: redirectUri,
      response_type: "code",
      user_intent_id: String(intent["id"]),
      state: "a state",
      ...more,
    });
    return `${authUrl}/login/oauth/authorize?${query}`;
  }

  async function readTextedCode(): Promise<string> {
    const { messages } = await call("GET", `/sandbox/messages?phone=${encodeURIComponent(phone)}`, credentials);
    const [newest] = messages as { text: string }[];
    return /\d{6}/.exec(newest?.text ?? "")?.[0] ?? "";
  }

  async function call(method: string, path: string, authorization: string, body?: object) {
    const headers = { authorization, ...(body && { "content-type": "application/json" }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${serviceUrl}${path}`, init);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  async function readStatus(): Promise<string | undefined> {
    const { users } = await call("GET", "/sandbox/users", credentials);
    return (users as { phone: string; status: string }[]).find((user) => user.phone === phone)?.status;
  }

  return { clientId: String(made["client_id"]), redirectUri, addressFor, readTextedCode, readStatus };
}

/** Calls the service's sandbox as the client that Harbor is. */
export async function callAsDemoClient(serviceUrl: string, method: string, path: string, body?: object): Promise<void> {
  const headers = { authorization: demoCredentials(), ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(`${serviceUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}

const person = JSON.parse(readFileSync("lib/contract/examples/create-user-intent.json", "utf8")) as object;

function demoCredentials(): string {
  const demo = parseEnv(readFileSync(".env.example", "utf8"));
  return basic(demo["PARTNER_CLIENT_ID"] ?? "", demo["PARTNER_CLIENT_SECRET"] ?? "");
}

function basic(id: string, secret: string): string {
  return `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;
}
