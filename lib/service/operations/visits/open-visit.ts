import { newId } from "../../../kit/ids.ts";
import { newSecret, sha256 } from "../../../kit/secrets.ts";
import type { TraceId } from "../../../kit/trace.ts";
import { markId } from "../../cells.ts";
import { serviceConfig } from "../../config.ts";
import {
  type AuthorizationError,
  type AuthorizationRequest,
  authorizationResponseUrl,
  type CheckedAuthorizationRequest,
  checkAuthorizationRequest,
  clientIdOf,
  isNamedPerson,
} from "../../domain/authorization-request.ts";
import { inCellOfClient } from "../../storage/client-cells.ts";
import { findClient } from "../../storage/clients.ts";
import { type Db, database, inTransaction } from "../../storage/database.ts";
import {
  findSessionTokenProblem,
  redeemIdentityVerificationToken,
  type SessionTokenProblem,
} from "../../storage/identity-verification-tokens.ts";
import { lockPhone } from "../../storage/phones.ts";
import { findVisitPerson, insertVisit, type VisitPerson } from "../../storage/visits.ts";
import { convertUserIntent } from "../people/convert-user-intent.ts";
import { accessDeniedUrl } from "./finish-visit.ts";
import { areTextsUsedUp, isPhoneBlocked, sendVerificationCode } from "./verify-code.ts";
import { watchStep } from "./watch-visit.ts";

/**
 * A visit with the only copy of its secret; a redirect back to the client; an unusable session token with the way back
 * and the cause for the log; or a request without a valid client or redirect_uri.
 */
export type Arrival =
  | { kind: "opened"; visitId: string; visitSecret: string }
  | { kind: "sent_back"; returnTo: string }
  | (UnusableSessionToken & { returnTo: string; clientId: string; clientName: string })
  | { kind: "refused"; problem: "client_id" | "redirect_uri" };

type UnusableSessionToken = { kind: "unusable_session_token"; cause: SessionTokenProblem };

/**
 * Opens a visit for a person sent by a client: redeems the session token and starts at consent if it is trusted,
 * otherwise texts a verification code to the phone on record. Decision D9
 */
export function openVisit(query: URLSearchParams, at: { traceId: TraceId }): Promise<Arrival> {
  const clientId = clientIdOf(query);
  return inCellOfClient(clientId, () => openVisitOf(clientId, query, at));
}

async function openVisitOf(
  clientId: string | undefined,
  query: URLSearchParams,
  { traceId }: { traceId: TraceId },
): Promise<Arrival> {
  const client = clientId === undefined ? undefined : await findClient(database(), clientId);
  const checked = checkAuthorizationRequest(query, client?.disabledAt ? undefined : client);
  const admission = checked.kind === "request" ? await admit(checked.request, { traceId }) : refuseAdmission(checked);
  if (client) watchArrival(query, admission, { clientId: client.id, traceId });
  return admission.arrival;
}

type Admission = { arrival: Arrival; visitor?: VisitPerson & { traceId: TraceId }; isCodeSent?: boolean };

function refuseAdmission(checked: Exclude<CheckedAuthorizationRequest, { kind: "request" }>): Admission {
  if (checked.kind === "refused") return { arrival: checked };
  return { arrival: sentBack(checked, checked.description, checked.error) };
}

function admit(request: AuthorizationRequest, { traceId }: { traceId: TraceId }): Promise<Admission> {
  // A refusal commits too, so that a token used for the wrong person is spent.
  return inTransaction(async (tx) => {
    const visitor = await findVisitor(tx, request);
    if (visitor.kind === "unusable_session_token") {
      const returnTo = accessDeniedUrl(request, "The session token cannot be used.");
      const { clientId, clientName } = request;
      return { arrival: { ...visitor, returnTo, clientId, clientName } };
    }
    if (visitor.kind === "unknown") {
      const description = request.sessionToken
        ? "The session token belongs to another person."
        : "This client has no such user intent or user.";
      return { arrival: sentBack(request, description) };
    }
    return enter(tx, request, { ...visitor, traceId: visitor.traceId ?? traceId });
  });
}

function watchArrival(
  query: URLSearchParams,
  { arrival, visitor, isCodeSent = false }: Admission,
  { clientId, traceId }: { clientId: string; traceId: TraceId },
): void {
  const { userIntentId = null, userId = null } = visitor ?? {};
  const visitId = arrival.kind === "opened" ? arrival.visitId : null;
  const common = { clientId, traceId: visitor?.traceId ?? traceId, visitId, userIntentId, userId };
  switch (arrival.kind) {
    case "opened":
      watchStep({ ...common, step: "opened", query });
      if (isCodeSent) watchStep({ ...common, step: "code_sent" });
      return;
    case "sent_back":
      watchStep({ ...common, step: "sent_back", query, returnTo: arrival.returnTo });
      return;
    case "unusable_session_token":
      watchStep({ ...common, step: "refused", query, cause: arrival.cause });
      return;
    case "refused":
      watchStep({ ...common, step: "refused", query, cause: `${arrival.problem}_unknown` });
  }
}

type Visitor = VisitPerson & { kind: "visitor"; phone: string; isAuthenticated: boolean; traceId: TraceId | undefined };

async function findVisitor(
  tx: Db,
  { clientId, sessionToken, person }: AuthorizationRequest,
): Promise<Visitor | UnusableSessionToken | { kind: "unknown" }> {
  let named: VisitPerson = {
    userIntentId: person.kind === "user_intent" ? person.userIntentId : null,
    userId: person.kind === "user" ? person.userId : null,
  };
  let isAuthenticated = false;
  let traceId: TraceId | undefined;
  if (sessionToken !== undefined) {
    const presented = { tokenHash: sha256(sessionToken), clientId };
    const spent = await redeemIdentityVerificationToken(tx, presented);
    if (!spent) return { kind: "unusable_session_token", cause: await findSessionTokenProblem(tx, presented) };
    if (!isNamedPerson(person, spent)) return { kind: "unknown" };
    named = { userIntentId: spent.userIntentId, userId: spent.userId };
    isAuthenticated = spent.isTrusted;
    traceId = spent.traceId;
  }
  const known = await findVisitPerson(tx, clientId, named);
  return known ? { kind: "visitor", ...named, phone: known.phone, isAuthenticated, traceId } : { kind: "unknown" };
}

async function enter(
  tx: Db,
  request: AuthorizationRequest,
  visitor: Visitor & { traceId: TraceId },
): Promise<Admission> {
  const { userIntentId, userId, phone, isAuthenticated, traceId } = visitor;
  const { clientId, clientName, redirectUri } = request;
  if (isAuthenticated && userIntentId !== null) {
    const conversion = await convertUserIntent(tx, userIntentId);
    if (conversion.kind === "phone_taken") {
      return { arrival: sentBack(request, "This person cannot be onboarded.", "access_denied"), visitor };
    }
  }
  // The pages of a visit don't know its client, so the id carries the cell.
  const visitId = markId(newId());
  const visitSecret = newSecret("gwv_");
  await insertVisit(tx, {
    id: visitId,
    clientId,
    secretHash: sha256(visitSecret),
    userIntentId,
    userId,
    redirectUri,
    state: request.state ?? null,
    codeChallenge: request.codeChallenge ?? null,
    isAuthenticated,
    traceId,
  });
  const isCodeSent = !isAuthenticated && (await sendFirstCode(tx, { id: visitId, clientId, clientName, phone }));
  return { arrival: { kind: "opened", visitId, visitSecret }, visitor, isCodeSent };
}

// If the phone is blocked or out of texts, the visit opens without a code. Its page says why, and can resend later.
async function sendFirstCode(tx: Db, visit: Parameters<typeof sendVerificationCode>[1]): Promise<boolean> {
  await lockPhone(tx, visit);
  if ((await isPhoneBlocked(tx, visit)) || (await areTextsUsedUp(tx, visit))) return false;
  await sendVerificationCode(tx, visit);
  return true;
}

function sentBack(
  { redirectUri, state }: { redirectUri: string; state: string | undefined },
  description: string,
  error: AuthorizationError = "invalid_request",
): Arrival {
  const answer = { error, error_description: description, state, iss: serviceConfig().baseUrl };
  return { kind: "sent_back", returnTo: authorizationResponseUrl(redirectUri, answer) };
}
