import { serviceConfig } from "../../config.ts";
import { providers } from "../../providers.ts";
import { callService } from "./call-service.ts";
import { type ConsoleClient, consoleCookieHeader, endedConsoleCookieHeader } from "./console-session.ts";
import { isOwnRequest } from "./own-request.ts";

/** Why somebody is not signed in. */
export type SignInProblem = "invalid_client" | "no_answer";

/** Whether there is a console here at all: in a sandbox and nowhere else. */
export function hasConsole(): boolean {
  return serviceConfig().mode === "sandbox";
}

/**
 * Signs a client in by the id and secret of the form, or as the seeded one, by asking the service itself whether they are
 * right; 303 to the console, or back to the form with what was wrong.
 */
export async function answerSignIn(request: Request): Promise<Response> {
  if (!isOwnRequest(request)) return new Response(null, { status: 403 });
  const form = await request.formData();
  const client = form.has("seeded") ? providers().demoCredentials?.() : clientOf(form);
  if (!client) return seeOther(`/console/sign-in?problem=${"invalid_client" satisfies SignInProblem}`);
  const problem = await findProblem(client);
  if (problem) return seeOther(`/console/sign-in?problem=${problem}`);
  return seeOther("/console", { "set-cookie": await consoleCookieHeader(client) });
}

/** Signs out, and leads back to the form. */
export function answerSignOut(request: Request): Response {
  if (!isOwnRequest(request)) return new Response(null, { status: 403 });
  return seeOther("/console/sign-in", { "set-cookie": endedConsoleCookieHeader() });
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
