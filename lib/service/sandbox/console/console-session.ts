import { sealData, unsealData } from "iron-session";
import { keyedHash } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";

export type ConsoleClient = { clientId: string; clientSecret: string };

const lifetimeSeconds = 12 * 60 * 60;
const consolePath = "/console";

export function consoleCookieName(): string {
  return `${isOnHttps() ? "__Secure-" : ""}plainbook-console`;
}

/** The `set-cookie` header that signs a client in; HttpOnly and encrypted. */
export async function consoleCookieHeader(client: ConsoleClient): Promise<string> {
  const sealed = await sealData(client, { password: password(), ttl: lifetimeSeconds });
  return cookie(sealed, lifetimeSeconds);
}

export function endedConsoleCookieHeader(): string {
  return cookie("", 0);
}

/** The cookie's client; undefined for a foreign, altered, or expired value. */
export async function readConsoleClient(sealed: string | undefined): Promise<ConsoleClient | undefined> {
  if (!sealed) return undefined;
  try {
    const { clientId, clientSecret } = await unsealData<Partial<ConsoleClient>>(sealed, { password: password() });
    return clientId && clientSecret ? { clientId, clientSecret } : undefined;
  } catch {
    return undefined;
  }
}

export function readConsoleClientOf({ headers }: Request): Promise<ConsoleClient | undefined> {
  const pairs = (headers.get("cookie") ?? "").split(/; */).map((pair) => pair.split("="));
  return readConsoleClient(pairs.find(([name]) => name === consoleCookieName())?.[1]);
}

function cookie(value: string, seconds: number): string {
  const scope = `Path=${consolePath}${isOnHttps() ? "; Secure" : ""}`;
  // Lax, so that links from the client's app work; opening a page changes nothing.
  return `${consoleCookieName()}=${value}; ${scope}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
}

// Derived from the installation's key, for this cookie only.
function password(): string {
  return keyedHash(serviceConfig().fingerprintKey, "console_session").toString("hex");
}

function isOnHttps(): boolean {
  return serviceConfig().authUrl.startsWith("https:");
}

/** Whether a request comes from our own origin; another site's would act as the signed-in client. */
export function isOwnRequest({ headers }: Request): boolean {
  return headers.get("origin") === serviceConfig().authUrl;
}
