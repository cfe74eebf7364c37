// The package's public API; nothing else in this folder is imported from outside.

export {
  type Answer,
  decisionOf,
  type FieldProblem,
  isConclusive,
  type Ok,
  type Refused,
  type Unreachable,
  type Unreadable,
  type Unsuccessful,
} from "./answer.ts";
export type { AuthorizationSubject, TokenPair } from "./authorization.ts";
export type { CallOptions, InSpan, ObservedCall, ServiceLog } from "./call-service.ts";
export { type Client, type ClientSettings, createClient } from "./create-client.ts";
export { excerptOf } from "./excerpt.ts";
export type { Account, AccountList, BookFields, NewBookRoutine, Routine, Transfer } from "./payments.ts";
export { centsOf, type Money, readMoney } from "./reading.ts";
export type { ServiceClock } from "./sandbox.ts";
export {
  type AccessTokenOutcome,
  createTokenKeeper,
  type Disconnected,
  type ReauthorizationRequired,
  type StoredTokens,
  storedTokensOf,
  type TokenKeeper,
  type TokenStore,
} from "./token-keeper.ts";
export type { NewUserIntent, RejectionReason, User, UserIntent } from "./users.ts";
export { readWebhookEvent, type VerifiedWebhook, verifyWebhook, type WebhookEvent } from "./webhooks.ts";
