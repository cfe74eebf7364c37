import type { CookieStore } from "iron-session";
import { log } from "../../kit/log.ts";
import { exchangeCode } from "../service-client/tokens.ts";
import type { Person } from "../storage/people.ts";
import type { CallbackProblem } from "./callback-problem.ts";
import { checkIssuer } from "./check-issuer.ts";
import { connectUser } from "./connect-user.ts";
import { callbackAddress } from "./open-authorization.ts";
import { type PendingAuthorization, takeAuthorization } from "./pending-authorization.ts";

/** Where the person goes on, or what went wrong. */
export type FinishedAuthorization = { kind: "ok"; returnTo: string } | { kind: "problem"; problem: CallbackProblem };

/**
 * What `/callback` does, in this order: is it the answer to a question of this very browser, is it for who is signed in,
 * does it come from our service, is it a yes; then the code is spent, and the user behind it must be the one expected.
 * @param query of the callback's address
 */
export async function finishAuthorization(
  query: URLSearchParams,
  cookies: CookieStore,
  person: Person | undefined,
): Promise<FinishedAuthorization> {
  const pending = await takeAuthorization(cookies, query.get("state") ?? "");
  if (!pending) return problem("unknown_attempt");
  const trouble = await findTrouble(query, pending, person);
  if (!person || trouble) {
    log().warn({ traceId: pending.traceId, problem: trouble }, "an authorization came back without success");
    return problem(trouble ?? "other_person");
  }
  log().info({ traceId: pending.traceId, purpose: pending.purpose }, "an authorization came back");
  return { kind: "ok", returnTo: pending.returnTo };
}

async function findTrouble(
  query: URLSearchParams,
  pending: PendingAuthorization,
  person: Person | undefined,
): Promise<CallbackProblem | undefined> {
  if (person?.id !== pending.personId) return "other_person";
  const issuer = await checkIssuer(query.get("iss"), pending.traceId);
  if (issuer !== "right") return issuer === "wrong" ? "wrong_issuer" : "unavailable";
  if (query.has("error")) return problemOfError(query.get("error"));
  const code = query.get("code");
  if (!code) return "failed";

  const { codeVerifier, traceId } = pending;
  const answer = await exchangeCode({ code, codeVerifier, redirectUri: callbackAddress() }, { traceId });
  if (answer.kind === "unreachable") return "unavailable";
  if (answer.kind === "refused") {
    if (answer.reason === "invalid_grant") return "expired_code";
    return answer.status >= 429 ? "unavailable" : "failed";
  }
  return connectUser(answer.body, pending, person);
}

// RFC 6749 section 4.1.2.1
function problemOfError(error: string | null): CallbackProblem {
  if (error === "access_denied") return "denied";
  return error === "temporarily_unavailable" || error === "server_error" ? "unavailable" : "failed";
}

function problem(name: CallbackProblem): FinishedAuthorization {
  return { kind: "problem", problem: name };
}
