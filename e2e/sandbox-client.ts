import { readFileSync } from "node:fs";
import { basicCredentials } from "../lib/kit/basic-credentials.ts";
import { newPhone } from "../lib/kit/testing/phones.ts";
import { callService, demoCredentials } from "./service-api.ts";

/** A new sandbox client for one test, with a person to authorize it. */
export type SandboxClient = {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** The authorization URL; `more` adds or overrides parameters. */
  addressFor: (more?: Record<string, string>) => Promise<string>;
  /** The newest code texted to the person. */
  readTextedCode: () => Promise<string>;
  advanceClock: (seconds: number) => Promise<void>;
  /** The user's status; undefined before conversion. */
  readStatus: () => Promise<string | undefined>;
};

/**
 * Creates a client without trusted authentication, so people are asked for a code.
 * @param status the status that the person's screening ends in
 */
export async function createSandboxClient(
  { serviceUrl, authUrl }: { serviceUrl: string; authUrl: string },
  redirectUri: string,
  { status }: { status?: "retry" | "document" } = {},
): Promise<SandboxClient> {
  const create = { authorization: demoCredentials(), method: "POST", path: "/sandbox/clients" };
  const created = await callService(serviceUrl, create);
  const authorization = basicCredentials(String(created["client_id"]), String(created["client_secret"]));
  const settings = { redirect_uris: [redirectUri], trusted_authentication: false };
  await call("PUT", "/sandbox/client", settings);
  const phone = newPhone();

  async function addressFor(more: Record<string, string> = {}): Promise<string> {
    const intent = await call("POST", "/v1/user_intent", { ...person, phone });
    if (status) await call("POST", `/sandbox/user_intents/${intent["id"]}/status`, { status });
    const query = new URLSearchParams({
      client_id: String(created["client_id"]),
      redirect_uri: redirectUri,
      response_type: "code",
      user_intent_id: String(intent["id"]),
      state: "a state",
      ...more,
    });
    return `${authUrl}/login/oauth/authorize?${query}`;
  }

  async function readTextedCode(): Promise<string> {
    const { messages } = await call("GET", `/sandbox/messages?phone=${encodeURIComponent(phone)}`);
    const [newest] = messages as { text: string }[];
    return /\d{6}/.exec(newest?.text ?? "")?.[0] ?? "";
  }

  function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    return callService(serviceUrl, { authorization, method, path, ...(body && { body }) });
  }

  async function readStatus(): Promise<string | undefined> {
    const { users } = await call("GET", "/sandbox/users");
    return (users as { phone: string; status: string }[]).find((user) => user.phone === phone)?.status;
  }

  const advanceClock = async (seconds: number) => void (await call("POST", "/sandbox/clock/advance", { seconds }));

  const [clientId, clientSecret] = [String(created["client_id"]), String(created["client_secret"])];
  return { advanceClock, clientId, clientSecret, redirectUri, addressFor, readTextedCode, readStatus };
}

const person = JSON.parse(readFileSync("lib/contract/examples/people.json", "utf8")).UserIntentCreation as object;
