import { sealData, unsealData } from "iron-session";
import { keyedHash } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";

/** Whose console it is: the id and secret with which it makes its calls. */
export type ConsoleClient = { clientId: string; clientSecret: string };

const lifetimeSeconds = 12 * 60 * 60;
const consolePath = "/console";

/** The name of the console's own cookie. */
export function consoleCookieName(): string {
  return `${isOnHttps() ? "__Secure-" : ""}plainbook-console`;
}

/** The `set-cookie` header that keeps a client signed in; no script sees it, and nobody without the key can read it. */
export async function consoleCookieHeader(client: ConsoleClient): Promise<string> {
  const sealed = await sealData(client, { password: password(), ttl: lifetimeSeconds });
  return cookie(sealed, lifetimeSeconds);
}

/** The `set-cookie` header that signs out. */
export function endedConsoleCookieHeader(): string {
  return cookie("", 0);
}

/** Who is signed in by this cookie's value; undefined when it is none of ours, was changed or has ended. */
export async function readConsoleClient(sealed: string | undefined): Promise<ConsoleClient | undefined> {
  if (!sealed) return undefined;
  try {
    const { clientId, clientSecret } = await unsealData<Partial<ConsoleClient>>(sealed, { password: password() });
    return clientId && clientSecret ? { clientId, clientSecret } : undefined;
  } catch {
    return undefined;
  }
}

/** The same of a request's cookies. */
export function readConsoleClientOf({ headers }: Request): Promise<ConsoleClient | undefined> {
  const pairs = (headers.get("cookie") ?? "").split(/; */).map((pair) => pair.split("="));
  return readConsoleClient(pairs.find(([name]) => name === consoleCookieName())?.[1]);
}

function cookie(value: string, seconds: number): string {
  const place = `Path=${consolePath}${isOnHttps() ? "; Secure" : ""}`;
  // Lax, so that a link of the client's own app finds who is signed in; a page of the console changes nothing by being opened.
  return `${consoleCookieName()}=${value}; ${place}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
}

// Of the installation's key, and for nothing else than this cookie.
function password(): string {
  return keyedHash(serviceConfig().fingerprintKey, "console_session").toString("hex");
}

function isOnHttps(): boolean {
  return serviceConfig().authUrl.startsWith("https:");
}

/** Whether a request comes from a page of ours: another site's would act for whoever is signed in here. */
export function isOwnRequest({ headers }: Request): boolean {
  return headers.get("origin") === serviceConfig().authUrl;
}
