import type { EntryDetails } from "./schema.ts";

/**
 * The rule behind an exchange: a clause of lab/clauses/clauses.json, its text, the file under lib that applies it, and
 * a snippet of the line that does.
 */
export type Rule = { name: string; clause: string; says: string; file: string; line: string };

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

const { createUserIntent, identityVerification, customer, exchange, refresh, user, book, routine, transfer } =
  published;
const { readIntent, metadata, accounts } = decided;
const submitOnboarding = "partner/onboarding/submit-onboarding.ts";
const onboardingStatus = "partner/onboarding/onboarding-status.ts";
const startAuthorization = "partner/authorization/start-authorization.ts";
const finishAuthorization = "partner/authorization/finish-authorization.ts";
const connectedUsers = "partner/connections/connected-users.ts";
const answerCustomer = "partner/customers/answer-customer-request.ts";
const sendRoutine = "partner/routines/send-routine.ts";
const resolveRoutines = "partner/routines/resolve-routines.ts";
const refreshRoutine = "partner/routines/refresh-routine.ts";
const routineChoices = "partner/routines/routine-choices.ts";
const receiveWebhook = "partner/webhooks/receive-webhook.ts";
const received = "function receiveWebhook(";
const processWebhooks = "partner/webhooks/process-webhooks.ts";
const tokenKeeper = "client/token-keeper.ts";

/** `of` matches method, path and a distinguishing detail; `cause` the cause. */
type Case = [of: RegExp, name: string, clause: readonly [string, string], file: string, line: string, cause?: RegExp];

// First match wins. The detail is a grant type, a webhook's verdict and type, or a status.
const cases: Case[] = [
  [
    /^POST \/v1\/user_intent /,
    "Pre-register the person",
    createUserIntent,
    submitOnboarding,
    "client.createUserIntent(",
  ],
  [
    /^GET \/v1\/user_intent\/[^/]+ /,
    "Read the decision",
    readIntent,
    processWebhooks,
    "client.readUserIntent(",
    /^webhook /,
  ],
  [/^GET \/v1\/user_intent\/[^/]+ /, "Read the decision", readIntent, onboardingStatus, "client.readUserIntent("],
  [
    /^POST \/v1\/partner\/identity\/verification /,
    "Mint the one-time token",
    identityVerification,
    startAuthorization,
    "client.createIdentityVerificationToken(",
  ],
  [
    /^GET \/v1\/customers\/[^/]+ 401/,
    "Confirm the customer",
    decided.ownAddresses,
    answerCustomer,
    "function answerCustomerRequest(",
  ],
  [/^GET \/v1\/customers\/[^/]+ /, "Confirm the customer", customer, answerCustomer, "function answerCustomerRequest("],
  [
    /^GET \/\.well-known\/oauth-authorization-server /,
    "Read the issuer",
    metadata,
    finishAuthorization,
    "client.readAuthorizationServerMetadata(",
  ],
  [/^POST \/v1\/oauth\/token refresh_token/, "Refresh the tokens", refresh, tokenKeeper, "client.refreshTokens("],
  [/^POST \/v1\/oauth\/token /, "Exchange the code for tokens", exchange, finishAuthorization, "client.exchangeCode("],
  [/^POST \/v1\/oauth\/revoke /, "Revoke the tokens", decided.revoke, tokenKeeper, "client.revokeTokens("],
  [
    /^GET \/v1\/user /,
    "Read whose tokens these are",
    user,
    finishAuthorization,
    "client.readUser(",
    /^GET \/callback$/,
  ],
  [/^GET \/v1\/user /, "Read the user", user, connectedUsers, "client.readUser(", /^(webhook |\w+ \/routines)/],
  [/^GET \/v1\/user /, "Read the user", user, connectedUsers, "client.readUser,"],
  [/^GET \/v1\/accounts /, "Read the accounts", accounts, routineChoices, "client.listAccounts", /^\w+ \/routines/],
  [/^GET \/v1\/accounts /, "Read the accounts", accounts, connectedUsers, "client.listAccounts"],
  [/^POST \/v1\/routines\/book /, "Pay", book, sendRoutine, "client.createBookRoutine("],
  [
    /^POST \/v1\/routines\/book\/void /,
    "Void the payment's key",
    decided.voidKey,
    sendRoutine,
    "client.voidBookRoutine(",
  ],
  [/^GET \/v1\/routines /, "Find the payment", decided.listRoutines, resolveRoutines, "client.listRoutines("],
  [/^GET \/v1\/routines\/[^/]+ /, "Read the routine", routine, refreshRoutine, "client.readRoutine,"],
  [/^GET \/v1\/transfers /, "Read the transfers", decided.listTransfers, connectedUsers, "client.listTransfers("],
  [/^GET \/v1\/transfers\/[^/]+ /, "Read the transfer", transfer, refreshRoutine, "client.readTransfer,"],
  [
    /^\w+ \/sandbox\/clock/,
    "Read or move the clock",
    decided.clock,
    "partner/sandbox/clocks.ts",
    "client.advanceSandboxClock(",
  ],
  [
    /^POST \/sandbox\/transfers\//,
    "Decide by hand",
    decided.finish,
    "partner/sandbox/decide.ts",
    "client.finishTransfer(",
  ],
  [/^POST \/sandbox\/users?\w*\//, "Decide by hand", decided.decide, "partner/sandbox/decide.ts", "client.decideUser("],
  [/^POST \/webhooks turned_away/, "Reject a webhook", decided.signed, receiveWebhook, received],
  [/^POST \/webhooks duplicate/, "Receive a duplicate webhook", decided.atLeastOnce, receiveWebhook, received],
  [
    /^POST \/webhooks accepted user_intent_updated/,
    "Receive a webhook",
    published.intentUpdated,
    receiveWebhook,
    received,
  ],
  [/^POST \/webhooks accepted user_updated/, "Receive a webhook", published.userUpdated, receiveWebhook, received],
  [/^POST \/webhooks accepted routine_updated/, "Receive a webhook", published.routineEvents, receiveWebhook, received],
  [
    /^POST \/webhooks accepted transfer_updated/,
    "Receive a webhook",
    published.transferEvents,
    receiveWebhook,
    received,
  ],
  [/^POST \/webhooks /, "Receive a webhook", decided.otherEvents, receiveWebhook, received],
];

export const rules: readonly Rule[] = cases.map(([, name, [clause, says], file, line]) => {
  return { name, clause, says, file: `lib/${file}`, line };
});

/** The rule of an exchange, if known. */
export function ruleOf(details: EntryDetails): Rule | undefined {
  const { method, path, outcome, status } = details;
  const body = fieldsOf(details.request.body);
  const more = details.kind === "webhook" ? `${outcome} ${body["webhook_type"] ?? ""}` : (body["grant_type"] ?? status);
  const exchange = `${method} ${path} ${more ?? ""}`;
  const at = cases.findIndex(([of, , , , , cause]) => of.test(exchange) && (!cause || cause.test(details.cause ?? "")));
  return rules[at];
}

function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null ? { ...body } : {};
}
