import type { BareRules } from "./bare-rules.ts";

/** A bare service with exactly one published rule broken, and that rule's clause. */
export type BrokenService = { breaks: string; fault: string; broken: Partial<BareRules> };

const hour = 60 * 60;
const day = 24 * hour;

/** At least one for each check. */
export const brokenServices: BrokenService[] = [
  ...["first_name", "last_name", "date_of_birth", "ssn", "phone", "email", "address1", "city", "state"]
    .concat(["postal_code", "ip_address"])
    .map((field, index) => ({
      breaks: `I.user-intent.${index + 1}`,
      fault: `refuses ${field}`,
      broken: { unknownField: field },
    })),
  { breaks: "I.user-intent.12", fault: "requires metadata", broken: { needsMetadata: true } },
  { breaks: "I.user-intent.12", fault: "refuses all metadata", broken: { refusesMetadata: true } },
  {
    breaks: "I.user-intent.13",
    fault: "reports accepted instead of approved",
    broken: { outcomes: { approved: "accepted" } },
  },
  {
    breaks: "I.user-intent.13",
    fault: "reports declined instead of rejected",
    broken: { outcomes: { rejected: "declined" } },
  },
  { breaks: "I.post-v1-user-intent.1", fault: "creates no user intent", broken: { createsIntents: false } },
  {
    breaks: "I.authentication.1",
    fault: "creates a user intent without credentials",
    broken: { clientNeedsSecret: false },
  },
  { breaks: "I.metadata.1", fault: "accepts 26 pairs", broken: { pairsMax: 26 } },
  { breaks: "I.metadata.1", fault: "accepts only 24 pairs", broken: { pairsMax: 24 } },
  { breaks: "I.metadata.3", fault: "accepts a key of 65 characters", broken: { keyCharactersMax: 65 } },
  { breaks: "I.metadata.3", fault: "refuses a key of 64 characters", broken: { keyCharactersMax: 63 } },
  { breaks: "I.metadata.3", fault: "accepts an empty key", broken: { keyCharactersMin: 0 } },
  { breaks: "I.metadata.4", fault: "accepts a space in a key", broken: { keyCharacters: /^[A-Za-z0-9_. -]*$/ } },
  {
    breaks: "I.metadata.4",
    fault: "accepts letters of any script in a key",
    broken: { keyCharacters: /^[\p{L}0-9_.-]*$/u },
  },
  { breaks: "I.metadata.5", fault: "accepts a number as a value", broken: { takesNonStringValues: true } },
  { breaks: "I.metadata.6", fault: "accepts a value of 257 characters", broken: { valueCharactersMax: 257 } },
  { breaks: "I.metadata.6", fault: "accepts an empty value", broken: { valueCharactersMin: 0 } },
  { breaks: "I.metadata.7", fault: "refuses two equal values", broken: { takesEqualValues: false } },
  { breaks: "I.metadata.12", fault: "refuses a UUID as a value", broken: { takesUuidValues: false } },
  ...["id", "email", "first_name", "last_name", "phone", "kyc_type", "metadata", "receive_only"]
    .concat(["rejection_reasons", "status", "user_type"])
    .map((field, index) => ({
      breaks: `I.user.${index + 1}`,
      fault: `omits ${field} from the user record`,
      broken: { changesUser: ({ [field]: _, ...record }: Record<string, unknown>) => record },
    })),
  changedUser("I.user.7", "loses one pair of the metadata", { metadata: { "Shop.Name_1": "Quay & Sons" } }),
  {
    breaks: "I.user.7",
    fault: "converts metadata keys to lower case",
    broken: {
      changesUser: (record) => ({ ...record, metadata: inLowerCase(record["metadata"]) }),
    },
  },
  changedUser("I.user.8", "returns receive_only as a string", { receive_only: "no" }),
  changedUser("I.user.9", "returns rejection reasons without a rejection", { rejection_reasons: ["none"] }),
  { breaks: "I.get-v1-user.1", fault: "returns the same user for every token", broken: { readsOneUser: true } },
  { breaks: "I.authentication.2", fault: "shows a user without a token", broken: { userNeedsToken: false } },
  { breaks: "I.endpoints.1", fault: "returns the user as plain text", broken: { userFormat: "text" } },
  { breaks: "I.post-v1-oauth-token.1", fault: "exchanges no code", broken: { exchangesCodes: false } },
  { breaks: "I.post-v1-oauth-token.1", fault: "returns no refresh_token", broken: { returnsRefreshToken: false } },
  { breaks: "I.post-v1-oauth-token.2", fault: "refuses refreshes", broken: { refreshes: false } },
  {
    breaks: "I.post-v1-oauth-token.2",
    fault: "returns the same refresh_token",
    broken: { refreshRotatesRefreshToken: false },
  },
  {
    breaks: "I.post-v1-oauth-token.2",
    fault: "returns the same access_token",
    broken: { refreshKeepsAccessToken: true },
  },
  { breaks: "I.tokens-and-codes.1", fault: "exchanges a code twice", broken: { codeIsSingleUse: false } },
  {
    breaks: "I.tokens-and-codes.2",
    fault: "keeps older access tokens valid",
    broken: { newTokenReplacesOld: false },
  },
  {
    breaks: "I.tokens-and-codes.3",
    fault: "accepts a refresh_token only once",
    broken: { refreshTokenIsReusable: false },
  },
  {
    breaks: "I.tokens-and-codes.4",
    fault: "opens the page twice with one token",
    broken: { sessionTokenIsSingleUse: false },
  },
  { breaks: "I.limits.4", fault: "accepts a code after a day", broken: { codeSeconds: day } },
  { breaks: "I.limits.4", fault: "refuses a code after half a minute", broken: { codeSeconds: 30 } },
  { breaks: "I.limits.5", fault: "accepts an access_token for 3 hours", broken: { accessTokenSeconds: 3 * hour } },
  { breaks: "I.limits.5", fault: "accepts an access_token for only 1 hour", broken: { accessTokenSeconds: hour } },
  { breaks: "I.errors.1", fault: "answers 500 to an expired access_token", broken: { expiredTokenStatus: 500 } },
  { breaks: "I.limits.6", fault: "accepts a refresh_token for 11 days", broken: { refreshTokenSeconds: 11 * day } },
  { breaks: "I.limits.6", fault: "accepts a refresh_token for only 9 days", broken: { refreshTokenSeconds: 9 * day } },
  { breaks: "I.limits.7", fault: "accepts a session token for 5 minutes", broken: { sessionTokenSeconds: 300 } },
  { breaks: "I.limits.7", fault: "accepts a session token for only 20 seconds", broken: { sessionTokenSeconds: 20 } },
  {
    breaks: "I.authentication.11",
    fault: "returns the expired pair again",
    broken: { trustedExchangeIssuesNewPair: false },
  },
  {
    breaks: "I.post-v1-partner-identity-verification.1",
    fault: "returns the token as session",
    broken: { mintsToken: "session" },
  },
  {
    breaks: "I.post-v1-partner-identity-verification.3",
    fault: "requests a different customer",
    broken: { customerToRequest: () => "someone-else" },
  },
  {
    breaks: "I.post-v1-partner-identity-verification.4",
    fault: "doesn't accept user_id",
    broken: { takesUserId: false },
  },
  {
    breaks: "I.post-v1-partner-identity-verification.5",
    fault: "doesn't accept user_intent_id",
    broken: { takesUserIntentId: false },
  },
  { breaks: "I.post-v1-partner-identity-verification.6", fault: "accepts both ids", broken: { takesBothIds: true } },
  {
    breaks: "I.get-v1-customers-{customer-id}.1",
    fault: "requests a different path",
    broken: { customersPath: "/v1/customer/" },
  },
  {
    breaks: "I.get-v1-customers-{customer-id}.2",
    fault: "doesn't require the last authentication",
    broken: { needsLastAuthentication: false },
  },
  { breaks: "I.customer-record.4", fault: "trusts a different phone", broken: { needsPhoneToMatch: false } },
  {
    breaks: "I.authentication.10",
    fault: "trusts a client without trusted authentication",
    broken: { needsEnabledClient: false },
  },
  { breaks: "I.authentication.9", fault: "asks everyone to authenticate", broken: { neverTrusts: true } },
  { breaks: "I.limits.8", fault: "trusts a login from 40 days ago", broken: { trustedSeconds: 40 * day } },
  { breaks: "I.limits.8", fault: "trusts a login for only a week", broken: { trustedSeconds: 7 * day } },
  { breaks: "I.authentication.4", fault: "redirects back without a code", broken: { returnsCode: false } },
  {
    breaks: "I.authorization-web-page.1",
    fault: "opens the page without session_token",
    broken: { pageNeeds: ["user_intent_id", "client_id"] },
  },
  {
    breaks: "I.authorization-web-page.2",
    fault: "opens the page without user_intent_id",
    broken: { pageNeeds: ["session_token", "client_id"] },
  },
  {
    breaks: "I.authorization-web-page.3",
    fault: "opens the page without client_id",
    broken: { pageNeeds: ["session_token", "user_intent_id"] },
  },
  { breaks: "I.authorization-web-page.4", fault: "refuses user_id at the page", broken: { takesUserIdAtPage: false } },
  {
    breaks: "I.authorization-web-page.5",
    fault: "redirects back to a different path",
    broken: { returnsTo: (uri) => `${uri}/done` },
  },
  { breaks: "I.authorization-web-page.6", fault: "refuses response_type", broken: { takesResponseType: false } },
  routineWithout("I.book-transfer-routine.1", "a name", "title"),
  routineWithout("I.book-transfer-routine.2", "an amount", "usd"),
  routineWithout("I.book-transfer-routine.3", "an origin", "from"),
  routineWithout("I.book-transfer-routine.4", "a receiver", "to"),
  { breaks: "I.book-transfer-routine.2", fault: "refuses cents", broken: { takesCents: false } },
  { breaks: "I.book-transfer-routine.5", fault: "returns no transfer_id", broken: { returnsTransferId: false } },
  { breaks: "I.create-a-book-transfer-routine.1", fault: "creates no routine", broken: { createsRoutines: false } },
  { breaks: "I.create-a-book-transfer-routine.3", fault: "pays without a token", broken: { routineNeedsToken: false } },
  {
    breaks: "I.create-a-book-transfer-routine.3",
    fault: "requires an idempotency key",
    broken: { needsIdempotencyKey: true },
  },
  { breaks: "I.create-a-book-transfer-routine.5", fault: "lets any user pay", broken: { needsBusinessUser: false } },
  {
    breaks: "I.create-a-book-transfer-routine.5",
    fault: "lets a seller pay with received money",
    broken: { sellersCanPay: true },
  },
  {
    breaks: "I.create-a-book-transfer-routine.6",
    fault: "keeps refused routines",
    broken: { keepsRefusedRoutines: true },
  },
  { breaks: "I.limits.9", fault: "accepts any idempotency key", broken: { takesAnyIdempotencyKey: true } },
  {
    breaks: "I.get-v1-routines-{id}.1",
    fault: "fetches the first routine for any id",
    broken: { readsAnyRoutine: true },
  },
  {
    breaks: "I.get-v1-transfers-{transfer-id}.1",
    fault: "fetches the first transfer for any id",
    broken: { readsAnyTransfer: true },
  },
  { breaks: "I.authentication.6", fault: "refuses the token for accounts", broken: { returnsAccounts: false } },
  {
    breaks: "I.events.2",
    fault: "sends no webhook for a rejected intent",
    broken: { announces: (_, status) => status !== "rejected" },
  },
  {
    breaks: "I.states-and-transitions.1",
    fault: "sends only the user's webhook for a decision after the authorization",
    broken: { announcesLateDecisions: false },
  },
  silentAbout("I.events.2", "user_intent_updated"),
  silentAbout("I.events.3", "user_updated"),
  silentAbout("I.events.4", "routine"),
  silentAbout("I.events.5", "transfer"),
  changedWebhook("I.webhook-payload.1", "uses other webhook types", ({ webhook_type }) => ({
    webhook_type: `${webhook_type}.v1`,
  })),
  changedWebhook("I.webhook-payload.2", "uses the same id for every webhook", () => ({ webhook_id: "w1" })),
  changedWebhook("I.webhook-payload.3", "omits user_id", () => ({ user_id: undefined })),
  changedWebhook("I.webhook-payload.4", "sends a different resource_id", () => ({ resource_id: "other" })),
  changedWebhook("I.webhook-payload.5", "omits metadata from webhooks", () => ({ metadata: undefined })),
  changedWebhook("I.webhook-payload.5", "converts the webhooks' metadata keys to lower case", ({ metadata }) => ({
    metadata: inLowerCase(metadata),
  })),
];

function inLowerCase(metadata: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(metadata)).map(([key, value]) => [key.toLowerCase(), value]));
}

function changedUser(breaks: string, fault: string, changes: Record<string, unknown>): BrokenService {
  return { breaks, fault, broken: { changesUser: (record) => ({ ...record, ...changes }) } };
}

function routineWithout(breaks: string, what: string, field: string): BrokenService {
  const routineNeeds = ["title", "usd", "from", "to"].filter((name) => name !== field);
  return { breaks, fault: `creates a routine without ${what}`, broken: { routineNeeds } };
}

function silentAbout(breaks: string, what: string): BrokenService {
  return { breaks, fault: `sends no ${what} webhook`, broken: { announces: (announced) => announced !== what } };
}

type Fields = Record<string, unknown>;

function changedWebhook(breaks: string, fault: string, change: (fields: Fields) => Fields): BrokenService {
  return { breaks, fault, broken: { changesWebhook: (fields) => ({ ...fields, ...change(fields) }) } };
}
