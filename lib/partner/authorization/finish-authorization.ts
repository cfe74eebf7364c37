import type { CookieStore } from "iron-session";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../storage/people.ts";
import { type CallbackProblem, problemOfAnswer } from "./callback-problem.ts";
import { checkIssuer } from "./check-issuer.ts";
import { connectUser } from "./connect-user.ts";
import { callbackAddress } from "./open-authorization.ts";
import { type PendingAuthorization, takeAuthorization } from "./pending-authorization.ts";

/** Where the person goes on, or what went wrong. */
export type FinishedAuthorization = { kind: "ok"; returnTo: string } | { kind: "problem"; problem: CallbackProblem };

/**
 * What `/callback` does, in this order: does it answer an attempt of this very browser, is its person the one who is signed in,
 * does it come from our service, did the person consent; then the code is spent, and the user behind it must be the one expected.
 * @param query of the callback's address
 */
export async function finishAuthorization(
  partner: Partner,
  query: URLSearchParams,
  cookies: CookieStore,
  person: Person | undefined,
): Promise<FinishedAuthorization> {
  const state = query.get("state");
  if (!state && partner.config.isStateUsed) {
    log().error(
      "the browser came back without state: if the service never returns it, remove state from PARTNER_SERVICE_FEATURES (risk: see .env.example)",
    );
    return problem("missing_state");
  }
  const pending = await takeAuthorization(partner, cookies, state ?? "");
  if (!pending) return problem("unknown_attempt");
  const trouble = person?.id === pending.personId ? await findTrouble(partner, query, pending, person) : "other_person";
  if (trouble) {
    log().warn({ traceId: pending.traceId, problem: trouble }, "an authorization came back without success");
    return problem(trouble);
  }
  log().info({ traceId: pending.traceId, purpose: pending.purpose }, "an authorization came back");
  return { kind: "ok", returnTo: pending.returnTo };
}

/**
 * What a way back means for the attempt that it answers: undefined when the code was spent and its user is connected, else
 * what went wrong. The caller has made sure that it answers this attempt and that its person is here.
 */
export async function findTrouble(
  partner: Partner,
  query: URLSearchParams,
  pending: PendingAuthorization,
  person: Person,
): Promise<CallbackProblem | undefined> {
  const issuer = await checkIssuer(partner, query.get("iss"), pending.traceId);
  if (issuer.kind === "wrong") return "wrong_issuer";
  if (issuer.kind !== "right") return problemOfAnswer(issuer);
  if (query.has("error")) return problemOfError(query.get("error"));
  const code = query.get("code");
  if (!code) return "failed";

  const { traceId } = pending;
  const codeVerifier = partner.config.isCodeChallengeUsed ? pending.codeVerifier : undefined;
  const answer = await partner.client.exchangeCode(
    { code, codeVerifier, redirectUri: callbackAddress(partner) },
    { traceId },
  );
  if (answer.kind === "ok") return connectUser(partner, answer.body, pending, person);
  return answer.kind === "refused" && answer.reason === "invalid_grant" ? "expired_code" : problemOfAnswer(answer);
}

// RFC 6749 section 4.1.2.1
function problemOfError(error: string | null): CallbackProblem {
  if (error === "access_denied") return "denied";
  return error === "temporarily_unavailable" || error === "server_error" ? "not_now" : "failed";
}

function problem(name: CallbackProblem): FinishedAuthorization {
  return { kind: "problem", problem: name };
}
