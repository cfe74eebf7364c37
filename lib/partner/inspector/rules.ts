import type { EntryDetails } from "./schema.ts";

/**
 * The rule behind an exchange: a clause of lab/clauses/clauses.json, its text, the file under lib that applies it, and
 * a snippet of the line that does.
 */
export type Rule = { name: string; clause: string; says: string; file: string; line: string };

/** `of` matches method, path and a distinguishing detail; `cause` the cause. */
type Case = Rule & { of: RegExp; cause?: RegExp };

const published = {
  createUserIntent: ["I.post-v1-user-intent.1", "Creates a user intent (first step of onboarding a personal user)."],
  identityVerification: [
    "I.post-v1-partner-identity-verification.1",
    "Generates a Partner Identity Verification Token for trusted authentication.",
  ],
  customer: [
    "I.get-v1-customers-{customer-id}.1",
    "The client exposes this endpoint so the service can retrieve customer information.",
  ],
  exchange: ["I.post-v1-oauth-token.1", "Exchange of an authorization code for an access_token and a refresh_token."],
  refresh: [
    "I.post-v1-oauth-token.2",
    "Refresh of authorization: a valid refresh_token is exchanged for a new access_token and a new refresh_token.",
  ],
  user: ["I.get-v1-user.1", "Fetches the user bound to the bearer access_token."],
  book: ["I.create-a-book-transfer-routine.1", "Creates a book transfer routine between two payment instruments."],
  routine: ["I.get-v1-routines-{id}.1", "Fetches a routine by its Book Routine ID."],
  transfer: ["I.get-v1-transfers-{transfer-id}.1", "Fetches a transfer by its Book Transfer ID."],
  intentUpdated: ["I.events.2", "the user intent status becomes approved or rejected"],
  userUpdated: ["I.events.3", "the status of an onboarded user changes"],
  routineEvents: ["I.events.4", "status update of a routine"],
  transferEvents: ["I.events.5", "status update of a transfer"],
} as const;
const decided = {
  readIntent: ["D6.3", "`GET /v1/user_intent/{id}` (Basic, own intents only)"],
  metadata: ["D10.5", "`GET /.well-known/oauth-authorization-server`"],
  revoke: ["D10.5", "`POST /v1/oauth/revoke` (RFC 7009) with any live token ends every authorization of that user"],
  accounts: ["D12.1", "`GET /v1/accounts`, `GET /v1/accounts/{id}` (Bearer): the user's payment instruments"],
  voidKey: ["D13.14", "`POST /v1/routines/book/void`"],
  listRoutines: ["D13.4", "`GET /v1/routines` newest first"],
  listTransfers: ["D13.5", "`GET /v1/transfers` (also `routine_id`, `status`)"],
  otherEvents: ["D14.1", "The body carries no status: the receiver fetches the record."],
  atLeastOnce: ["D14.3", "At least once, unordered."],
  signed: ["D14.2", "Signed and sent per Standard Webhooks"],
  clock: ["D16.1", "this client's clock; what will fall due"],
  decide: ["D16.2", "people; decide; an impossible step is 409 illegal_transition"],
  finish: ["D16.3", "finish a transfer"],
  ownAddresses: ["D18.1", "(as published, for the service only: Bearer secret, 401 otherwise)"],
} as const;

function rule(name: string, [clause, says]: readonly [string, string], file: string, line: string): Rule {
  return { name, clause, says, file: `lib/${file}`, line };
}

const { createUserIntent, identityVerification, customer, exchange, refresh, user, book, routine, transfer } =
  published;
const refreshRoutine = "partner/routines/refresh-routine.ts";
const applyRoutine = "partner/routines/refresh-routine.ts";
const receive = "partner/webhooks/receive-webhook.ts";
const answerCustomer = "partner/customers/answer-customer-request.ts";

// First match wins. The detail is a grant type, a webhook's verdict and type, or a status.
const cases: Case[] = [
  {
    of: /^POST \/v1\/user_intent /,
    ...rule(
      "Pre-register the person",
      createUserIntent,
      "partner/onboarding/submit-onboarding.ts",
      "client.createUserIntent(",
    ),
  },
  {
    of: /^GET \/v1\/user_intent\/[^/]+ /,
    cause: /^webhook /,
    ...rule("Read the decision", decided.readIntent, "partner/webhooks/process-webhooks.ts", "client.readUserIntent("),
  },
  {
    of: /^GET \/v1\/user_intent\/[^/]+ /,
    ...rule(
      "Read the decision",
      decided.readIntent,
      "partner/onboarding/onboarding-status.ts",
      "client.readUserIntent(",
    ),
  },
  {
    of: /^POST \/v1\/partner\/identity\/verification /,
    ...rule(
      "Mint the one-time token",
      identityVerification,
      "partner/authorization/start-authorization.ts",
      "client.createIdentityVerificationToken(",
    ),
  },
  {
    of: /^GET \/v1\/customers\/[^/]+ 401/,
    ...rule("Confirm the customer", decided.ownAddresses, answerCustomer, "function answerCustomerRequest("),
  },
  {
    of: /^GET \/v1\/customers\/[^/]+ /,
    ...rule("Confirm the customer", customer, answerCustomer, "function answerCustomerRequest("),
  },
  {
    of: /^GET \/\.well-known\/oauth-authorization-server /,
    ...rule(
      "Read the issuer",
      decided.metadata,
      "partner/authorization/finish-authorization.ts",
      "client.readAuthorizationServerMetadata(",
    ),
  },
  {
    of: /^POST \/v1\/oauth\/token refresh_token/,
    ...rule("Refresh the tokens", refresh, "client/token-keeper.ts", "client.refreshTokens("),
  },
  {
    of: /^POST \/v1\/oauth\/token /,
    ...rule(
      "Exchange the code for tokens",
      exchange,
      "partner/authorization/finish-authorization.ts",
      "client.exchangeCode(",
    ),
  },
  {
    of: /^POST \/v1\/oauth\/revoke /,
    ...rule("Revoke the tokens", decided.revoke, "client/token-keeper.ts", "client.revokeTokens("),
  },
  {
    of: /^GET \/v1\/user /,
    cause: /^GET \/callback$/,
    ...rule("Read whose tokens these are", user, "partner/authorization/finish-authorization.ts", "client.readUser("),
  },
  {
    of: /^GET \/v1\/user /,
    cause: /^(webhook |\w+ \/routines)/,
    ...rule("Read the user", user, "partner/connections/connected-users.ts", "client.readUser("),
  },
  {
    of: /^GET \/v1\/user /,
    ...rule("Read the user", user, "partner/connections/connected-users.ts", "client.readUser,"),
  },
  {
    of: /^GET \/v1\/accounts /,
    cause: /^\w+ \/routines/,
    ...rule("Read the accounts", decided.accounts, "partner/routines/routine-choices.ts", "client.listAccounts"),
  },
  {
    of: /^GET \/v1\/accounts /,
    ...rule("Read the accounts", decided.accounts, "partner/connections/connected-users.ts", "client.listAccounts"),
  },
  {
    of: /^POST \/v1\/routines\/book /,
    ...rule("Pay", book, "partner/routines/send-routine.ts", "client.createBookRoutine("),
  },
  {
    of: /^POST \/v1\/routines\/book\/void /,
    ...rule("Void the payment's key", decided.voidKey, "partner/routines/send-routine.ts", "client.voidBookRoutine("),
  },
  {
    of: /^GET \/v1\/routines /,
    ...rule("Find the payment", decided.listRoutines, "partner/routines/resolve-routines.ts", "client.listRoutines("),
  },
  {
    of: /^GET \/v1\/routines\/[^/]+ /,
    cause: /\/resolve$/,
    ...rule("Read the routine", routine, applyRoutine, "client.readRoutine,"),
  },
  { of: /^GET \/v1\/routines\/[^/]+ /, ...rule("Read the routine", routine, refreshRoutine, "client.readRoutine,") },
  {
    of: /^GET \/v1\/transfers /,
    ...rule(
      "Read the transfers",
      decided.listTransfers,
      "partner/connections/connected-users.ts",
      "client.listTransfers(",
    ),
  },
  {
    of: /^GET \/v1\/transfers\/[^/]+ /,
    cause: /\/resolve$/,
    ...rule("Read the transfer", transfer, applyRoutine, "client.readTransfer,"),
  },
  {
    of: /^GET \/v1\/transfers\/[^/]+ /,
    ...rule("Read the transfer", transfer, refreshRoutine, "client.readTransfer,"),
  },
  {
    of: /^\w+ \/sandbox\/clock/,
    ...rule("Read or move the clock", decided.clock, "partner/sandbox/clocks.ts", "client.advanceSandboxClock("),
  },
  {
    of: /^POST \/sandbox\/transfers\//,
    ...rule("Decide by hand", decided.finish, "partner/sandbox/decide.ts", "client.finishTransfer("),
  },
  {
    of: /^POST \/sandbox\/users?\w*\//,
    ...rule("Decide by hand", decided.decide, "partner/sandbox/decide.ts", "client.decideUser("),
  },
  {
    of: /^POST \/webhooks turned_away/,
    ...rule("Reject a webhook", decided.signed, receive, "function receiveWebhook("),
  },
  {
    of: /^POST \/webhooks duplicate/,
    ...rule("Receive a duplicate webhook", decided.atLeastOnce, receive, "function receiveWebhook("),
  },
  {
    of: /^POST \/webhooks accepted user_intent_updated/,
    ...rule("Receive a webhook", published.intentUpdated, receive, "function receiveWebhook("),
  },
  {
    of: /^POST \/webhooks accepted user_updated/,
    ...rule("Receive a webhook", published.userUpdated, receive, "function receiveWebhook("),
  },
  {
    of: /^POST \/webhooks accepted routine_updated/,
    ...rule("Receive a webhook", published.routineEvents, receive, "function receiveWebhook("),
  },
  {
    of: /^POST \/webhooks accepted transfer_updated/,
    ...rule("Receive a webhook", published.transferEvents, receive, "function receiveWebhook("),
  },
  { of: /^POST \/webhooks /, ...rule("Receive a webhook", decided.otherEvents, receive, "function receiveWebhook(") },
];

export const rules: readonly Rule[] = cases;

/** The rule of an exchange, if known. */
export function ruleOf(details: EntryDetails): Rule | undefined {
  const { method, path, outcome, status } = details;
  const body = fieldsOf(details.request.body);
  const more = details.kind === "webhook" ? `${outcome} ${body["webhook_type"] ?? ""}` : (body["grant_type"] ?? status);
  const exchange = `${method} ${path} ${more ?? ""}`;
  const found = cases.find(({ of, cause }) => of.test(exchange) && (!cause || cause.test(details.cause ?? "")));
  if (!found) return undefined;
  const { name, clause, says, file, line } = found;
  return { name, clause, says, file, line };
}

function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null ? { ...body } : {};
}
