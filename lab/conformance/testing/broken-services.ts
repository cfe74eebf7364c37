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
  { breaks: "I.user-intent.12", fault: "wants metadata", broken: { needsMetadata: true } },
  { breaks: "I.user-intent.12", fault: "refuses all metadata", broken: { refusesMetadata: true } },
  { breaks: "I.user-intent.13", fault: "calls approved accepted", broken: { outcomes: { approved: "accepted" } } },
  { breaks: "I.user-intent.13", fault: "calls rejected declined", broken: { outcomes: { rejected: "declined" } } },
  { breaks: "I.post-v1-user-intent.1", fault: "creates no user intent", broken: { createsIntents: false } },
  { breaks: "I.authentication.1", fault: "creates a user intent for strangers", broken: { clientNeedsSecret: false } },
  { breaks: "I.metadata.1", fault: "takes 26 pairs", broken: { pairsMax: 26 } },
  { breaks: "I.metadata.1", fault: "takes 24 pairs", broken: { pairsMax: 24 } },
  { breaks: "I.metadata.3", fault: "takes a key of 65 characters", broken: { keyCharactersMax: 65 } },
  { breaks: "I.metadata.3", fault: "refuses a key of 64 characters", broken: { keyCharactersMax: 63 } },
  { breaks: "I.metadata.3", fault: "takes an empty key", broken: { keyCharactersMin: 0 } },
  { breaks: "I.metadata.4", fault: "takes a space in a key", broken: { keyCharacters: /^[A-Za-z0-9_. -]*$/ } },
  {
    breaks: "I.metadata.4",
    fault: "takes letters of any script in a key",
    broken: { keyCharacters: /^[\p{L}0-9_.-]*$/u },
  },
  { breaks: "I.metadata.5", fault: "takes a number as a value", broken: { takesValuesThatAreNoTexts: true } },
  { breaks: "I.metadata.6", fault: "takes a value of 257 characters", broken: { valueCharactersMax: 257 } },
  { breaks: "I.metadata.6", fault: "takes an empty value", broken: { valueCharactersMin: 0 } },
  { breaks: "I.metadata.7", fault: "refuses two equal values", broken: { takesEqualValues: false } },
  { breaks: "I.metadata.12", fault: "refuses a UUID as a value", broken: { takesUuidValues: false } },
  ...["id", "email", "first_name", "last_name", "phone", "kyc_type", "metadata", "receive_only"]
    .concat(["rejection_reasons", "status", "user_type"])
    .map((field, index) => ({
      breaks: `I.user.${index + 1}`,
      fault: `leaves ${field} out of the user record`,
      broken: { changesUser: ({ [field]: _, ...record }: Record<string, unknown>) => record },
    })),
  changedUser("I.user.7", "loses one pair of the metadata", { metadata: { "Shop.Name_1": "Quay & Sons" } }),
  {
    breaks: "I.user.7",
    fault: "writes the keys of metadata in lower case",
    broken: {
      changesUser: (record) => ({ ...record, metadata: inLowerCase(record["metadata"]) }),
    },
  },
  changedUser("I.user.8", "says receive_only in words", { receive_only: "no" }),
  changedUser("I.user.9", "gives a reason for no rejection", { rejection_reasons: ["none"] }),
  { breaks: "I.get-v1-user.1", fault: "reads the same user for every token", broken: { readsOneUser: true } },
  { breaks: "I.authentication.2", fault: "shows a user without a token", broken: { userNeedsToken: false } },
  { breaks: "I.endpoints.1", fault: "answers a user that is no JSON", broken: { answersUserAs: "text" } },
  { breaks: "I.post-v1-oauth-token.1", fault: "exchanges no code", broken: { exchangesCodes: false } },
  { breaks: "I.post-v1-oauth-token.1", fault: "gives no refresh_token", broken: { givesRefreshToken: false } },
  { breaks: "I.post-v1-oauth-token.2", fault: "refuses to refresh", broken: { refreshes: false } },
  {
    breaks: "I.post-v1-oauth-token.2",
    fault: "gives the same refresh_token",
    broken: { refreshGivesNewRefreshToken: false },
  },
  {
    breaks: "I.post-v1-oauth-token.2",
    fault: "gives the same access_token",
    broken: { refreshKeepsAccessToken: true },
  },
  { breaks: "I.tokens-and-codes.1", fault: "exchanges a code twice", broken: { codeIsUsedOnce: false } },
  {
    breaks: "I.tokens-and-codes.2",
    fault: "leaves older access tokens valid",
    broken: { oneAccessTokenIsValid: false },
  },
  { breaks: "I.tokens-and-codes.3", fault: "takes a refresh_token once", broken: { refreshTokenIsReusable: false } },
  {
    breaks: "I.tokens-and-codes.4",
    fault: "opens the page twice with one token",
    broken: { sessionTokenIsUsedOnce: false },
  },
  { breaks: "I.limits.4", fault: "takes a code after a day", broken: { codeSeconds: day } },
  { breaks: "I.limits.4", fault: "refuses a code after half a minute", broken: { codeSeconds: 30 } },
  { breaks: "I.limits.5", fault: "takes an access_token for 3 hours", broken: { accessTokenSeconds: 3 * hour } },
  { breaks: "I.limits.5", fault: "takes an access_token for 1 hour", broken: { accessTokenSeconds: hour } },
  { breaks: "I.errors.1", fault: "breaks down at an expired access_token", broken: { expiredTokenStatus: 500 } },
  { breaks: "I.limits.6", fault: "takes a refresh_token for 11 days", broken: { refreshTokenSeconds: 11 * day } },
  { breaks: "I.limits.6", fault: "takes a refresh_token for 9 days", broken: { refreshTokenSeconds: 9 * day } },
  { breaks: "I.limits.7", fault: "opens the page 5 minutes later", broken: { sessionTokenSeconds: 300 } },
  { breaks: "I.limits.7", fault: "opens the page for 20 seconds", broken: { sessionTokenSeconds: 20 } },
  {
    breaks: "I.authentication.11",
    fault: "gives the expired pair again",
    broken: { trustedExchangeGivesNewPair: false },
  },
  {
    breaks: "I.post-v1-partner-identity-verification.1",
    fault: "calls the token session",
    broken: { mintsToken: "session" },
  },
  {
    breaks: "I.post-v1-partner-identity-verification.3",
    fault: "asks about another customer",
    broken: { asksForCustomer: () => "somebody-else" },
  },
  { breaks: "I.post-v1-partner-identity-verification.4", fault: "knows no user_id", broken: { takesUserId: false } },
  {
    breaks: "I.post-v1-partner-identity-verification.5",
    fault: "knows no user_intent_id",
    broken: { takesUserIntentId: false },
  },
  { breaks: "I.post-v1-partner-identity-verification.6", fault: "takes both ids", broken: { takesBothIds: true } },
  {
    breaks: "I.get-v1-customers-{customer-id}.1",
    fault: "asks at another path",
    broken: { customersPath: "/v1/customer/" },
  },
  {
    breaks: "I.get-v1-customers-{customer-id}.2",
    fault: "needs no last authentication",
    broken: { needsLastAuthentication: false },
  },
  { breaks: "I.customer-record.4", fault: "trusts another phone", broken: { needsPhoneToMatch: false } },
  {
    breaks: "I.authentication.10",
    fault: "trusts a client that is not enabled",
    broken: { needsEnabledClient: false },
  },
  { breaks: "I.authentication.9", fault: "asks everybody to authenticate", broken: { trustsNobody: true } },
  { breaks: "I.limits.8", fault: "trusts a login of 40 days ago", broken: { trustedSeconds: 40 * day } },
  { breaks: "I.limits.8", fault: "trusts a login for a week only", broken: { trustedSeconds: 7 * day } },
  { breaks: "I.authentication.4", fault: "sends the person back without a code", broken: { givesCode: false } },
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
    fault: "returns to another path",
    broken: { returnsTo: (uri) => `${uri}/done` },
  },
  { breaks: "I.authorization-web-page.6", fault: "refuses response_type", broken: { takesResponseType: false } },
  routineWithout("I.book-transfer-routine.1", "a name", "title"),
  routineWithout("I.book-transfer-routine.2", "an amount", "usd"),
  routineWithout("I.book-transfer-routine.3", "an origin", "from"),
  routineWithout("I.book-transfer-routine.4", "a receiver", "to"),
  { breaks: "I.book-transfer-routine.2", fault: "refuses cents", broken: { takesCents: false } },
  { breaks: "I.book-transfer-routine.5", fault: "tells no transfer_id", broken: { tellsTransferId: false } },
  { breaks: "I.create-a-book-transfer-routine.1", fault: "creates no routine", broken: { createsRoutines: false } },
  { breaks: "I.create-a-book-transfer-routine.3", fault: "pays for strangers", broken: { routineNeedsToken: false } },
  {
    breaks: "I.create-a-book-transfer-routine.3",
    fault: "wants an idempotency key",
    broken: { needsIdempotencyKey: true },
  },
  { breaks: "I.create-a-book-transfer-routine.5", fault: "lets anybody pay", broken: { needsBusinessUser: false } },
  {
    breaks: "I.create-a-book-transfer-routine.5",
    fault: "lets a seller pay from money that was received",
    broken: { sellersPayFromTheirs: true },
  },
  {
    breaks: "I.create-a-book-transfer-routine.6",
    fault: "keeps what it refused",
    broken: { keepsRefusedRoutines: true },
  },
  { breaks: "I.limits.9", fault: "takes any idempotency key", broken: { takesAnyIdempotencyKey: true } },
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
  { breaks: "I.authentication.6", fault: "refuses the token for accounts", broken: { givesAccounts: false } },
  {
    breaks: "I.events.2",
    fault: "announces no rejected intent",
    broken: { announces: (_, status) => status !== "rejected" },
  },
  {
    breaks: "I.states-and-transitions.1",
    fault: "announces of the user alone what is decided after the authorization",
    broken: { announcesLateDecisions: false },
  },
  silentAbout("I.events.2", "user_intent_updated"),
  silentAbout("I.events.3", "user_updated"),
  silentAbout("I.events.4", "routine"),
  silentAbout("I.events.5", "transfer"),
  changedWebhook("I.webhook-payload.1", "calls its events otherwise", ({ webhook_type }) => ({
    webhook_type: `${webhook_type}.v1`,
  })),
  changedWebhook("I.webhook-payload.2", "gives every webhook the same id", () => ({ webhook_id: "w1" })),
  changedWebhook("I.webhook-payload.3", "leaves user_id out", () => ({ user_id: undefined })),
  changedWebhook("I.webhook-payload.4", "names another resource", () => ({ resource_id: "other" })),
  changedWebhook("I.webhook-payload.5", "leaves metadata out of webhooks", () => ({ metadata: undefined })),
  changedWebhook("I.webhook-payload.5", "writes the keys of webhooks' metadata in lower case", ({ metadata }) => ({
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
