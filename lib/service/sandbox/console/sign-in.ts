import { serviceConfig } from "../../config.ts";
import { providers } from "../../providers.ts";
import {
  type ConsoleClient,
  consoleCookieHeader,
  endedConsoleCookieHeader,
  isOwnRequest,
  readConsoleClientOf,
} from "./console-session.ts";
import { callService } from "./read.ts";

export type SignInProblem = "invalid_client" | "no_answer" | "ended";

/** Only a sandbox has a console. */
export function hasConsole(): boolean {
  return serviceConfig().mode === "sandbox";
}

const consolePath = "/console";

/** The requested path if it's within the console, else its first page. */
export function consoleAddress(returnTo: string | null | undefined): string {
  const { origin } = new URL(serviceConfig().authUrl);
  const address = returnTo?.startsWith("/") ? URL.parse(returnTo, origin) : null;
  const isOurs = address?.origin === origin && `${address.pathname}/`.startsWith(`${consolePath}/`);
  if (!isOurs) return consolePath;
  // Next adds it to the requests of an open page.
  address.searchParams.delete("_rsc");
  return address.pathname + address.search;
}

/** The sign-in URL that returns to the requested path. */
export function signInAddress(requestedPath: string | null | undefined, problem?: SignInProblem): string {
  const returnTo = consoleAddress(requestedPath);
  const query = new URLSearchParams({
    ...(problem && { problem }),
    ...(returnTo !== consolePath && { return_to: returnTo }),
  }).toString();
  return query ? `/console/sign-in?${query}` : "/console/sign-in";
}

/**
 * Signs in with the form's or the seeded credentials, verified against the service. 303 to the requested page, or back to the
 * form with the problem.
 */
export async function answerSignIn(request: Request): Promise<Response> {
  if (!isOwnRequest(request)) return new Response(null, { status: 403 });
  const form = await request.formData();
  const returnTo = form.get("return_to")?.toString();
  const client = form.has("seeded") ? providers().demoCredentials?.() : clientOf(form);
  const problem = client ? await findProblem(client) : "invalid_client";
  if (!client || problem) return seeOther(signInAddress(returnTo, problem));
  return seeOther(consoleAddress(returnTo), { "set-cookie": await consoleCookieHeader(client) });
}

export function answerSignOut(request: Request): Response {
  if (!isOwnRequest(request)) return new Response(null, { status: 403 });
  return seeOther("/console/sign-in", { "set-cookie": endedConsoleCookieHeader() });
}

/** The URL that ends a refused client's sign-in, because a page can't delete its cookie. */
export function refusedClientAddress(requestedPath: string | null | undefined): string {
  return `/console/session?${new URLSearchParams({ return_to: consoleAddress(requestedPath) })}`;
}

/** Ends the sign-in if the service refuses its client, and returns to the requested page if not. */
export async function answerRefusedClient(request: Request): Promise<Response> {
  const returnTo = new URL(request.url).searchParams.get("return_to");
  const client = await readConsoleClientOf(request);
  if (!client || (await findProblem(client)) !== "invalid_client") return seeOther(consoleAddress(returnTo));
  return seeOther(signInAddress(returnTo, "ended"), { "set-cookie": endedConsoleCookieHeader() });
}

function clientOf(form: FormData): ConsoleClient | undefined {
  const [clientId, clientSecret] = [form.get("client_id"), form.get("client_secret")].map((text) =>
    String(text ?? "").trim(),
  );
  return clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

async function findProblem(client: ConsoleClient): Promise<SignInProblem | undefined> {
  try {
    const { status } = await callService(client, "/sandbox/clock");
    if (status === 200) return undefined;
    return status === 401 ? "invalid_client" : "no_answer";
  } catch {
    return "no_answer";
  }
}

function seeOther(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { "cache-control": "no-store", ...headers, location } });
}
