import type * as z from "zod/mini";
import * as errors from "./errors.ts";
import moneyExamples from "./examples/money.json" with { type: "json" };
import operatorExamples from "./examples/operator.json" with { type: "json" };
import peopleExamples from "./examples/people.json" with { type: "json" };
import sandboxExamples from "./examples/sandbox.json" with { type: "json" };
import tokensExamples from "./examples/tokens.json" with { type: "json" };
import webhooksExamples from "./examples/webhooks.json" with { type: "json" };
import * as verification from "./identity-verification.ts";
import * as money from "./money.ts";
import * as operator from "./operator.ts";
import * as people from "./people.ts";
import * as sandbox from "./sandbox.ts";
import * as checks from "./sandbox-checks.ts";
import * as events from "./sandbox-events.ts";
import * as faults from "./sandbox-faults.ts";
import * as deliveries from "./sandbox-webhooks.ts";
import * as tokens from "./tokens.ts";
import * as webhooks from "./webhooks.ts";

const schemas: Record<string, z.ZodMiniType> = {
  UserIntentCreation: people.createUserIntentRequest,
  CreatedUserIntent: people.createdUserIntent,
  UserIntent: people.userIntentRecord,
  User: people.userRecord,
  AuthorizationCodeGrant: tokens.authorizationCodeGrant,
  RefreshTokenGrant: tokens.refreshTokenGrant,
  TokenGrant: tokens.tokenGrant,
  TokenPair: tokens.tokenPair,
  Revocation: tokens.revocation,
  AuthorizationServerMetadata: tokens.authorizationServerMetadata,
  IdentityVerification: verification.identityVerificationRequest,
  IdentityVerificationToken: verification.identityVerificationToken,
  Customer: verification.customerRecord,
  Account: money.accountRecord,
  AccountList: money.accountList,
  BookRoutineCreation: money.createBookRoutineRequest,
  Routine: money.routineRecord,
  RoutineList: money.routineList,
  VoidedBooking: money.voidedBooking,
  Transfer: money.transferRecord,
  TransferList: money.transferList,
  WebhookEvent: webhooks.webhookEvent,
  Error: errors.errorBody,
  OAuthError: errors.oauthErrorBody,
  SandboxClient: sandbox.sandboxClient,
  ClientSettings: sandbox.clientSettings,
  ClientSettingsRecord: sandbox.clientSettingsRecord,
  WebhookEndpoint: sandbox.webhookEndpointRequest,
  UserIntentDecision: sandbox.userIntentDecision,
  UserDecision: sandbox.userDecision,
  TransferDecision: sandbox.transferDecision,
  Funding: sandbox.fundingRequest,
  Ledger: sandbox.ledgerRecord,
  MessageList: sandbox.messageList,
  UserIntentList: sandbox.userIntentList,
  UserList: sandbox.userList,
  VisitList: sandbox.visitList,
  SandboxTransferList: sandbox.sandboxTransferList,
  TokenList: sandbox.tokenList,
  TokenExpiry: sandbox.tokenExpiry,
  EndedTokens: sandbox.endedTokens,
  IdempotencyKeyList: sandbox.idempotencyKeyList,
  ClockAdvance: sandbox.clockAdvance,
  Clock: sandbox.clockRecord,
  DueList: sandbox.dueList,
  FaultList: faults.faultList,
  EventPage: events.eventPage,
  RequestList: events.requestList,
  Delivery: deliveries.deliveryRecord,
  DeliveryList: deliveries.deliveryList,
  WebhookRecovery: deliveries.webhookRecovery,
  RecoveredWebhooks: deliveries.recoveredWebhooks,
  RotatedWebhookSecret: deliveries.rotatedWebhookSecret,
  CheckReport: checks.checkReport,
  DrillList: checks.drillList,
  CustomerProbe: checks.customerProbeRequest,
  CustomerProbeList: checks.customerProbeList,
  WebhookFault: deliveries.webhookFaultRequest,
  WebhookFaultRecord: deliveries.webhookFaultRecord,
  ClientCreation: operator.clientCreation,
  ClientChange: operator.clientChange,
  ManagedClient: operator.managedClient,
  ManagedClientList: operator.managedClientList,
  SecretRotation: operator.secretRotation,
  RedirectsChange: operator.redirectsChange,
  WebhookChange: operator.webhookChange,
  TrustedChange: operator.trustedChange,
  BusinessChange: operator.businessChange,
  ClientFunding: operator.clientFunding,
  FundingReversal: operator.fundingReversal,
  PersonDecision: operator.personDecision,
  PhotoIdView: operator.photoIdView,
  Redelivery: operator.redelivery,
  ClientSwitch: operator.clientSwitch,
};
const examples: Record<string, unknown> = {
  ...peopleExamples,
  ...tokensExamples,
  ...moneyExamples,
  ...sandboxExamples,
  ...operatorExamples,
  WebhookEvent: webhooksExamples.user_intent_updated,
};

/** Every body on the wire, by its name in the OpenAPI document, with an example. */
export const bodies: Record<string, { schema: z.ZodMiniType; example: unknown }> = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [name, { schema, example: examples[name] }]),
);
