import type * as z from "zod/mini";
import { accountList, accountRecord } from "./accounts.ts";
import { errorBody, oauthErrorBody } from "./errors.ts";
import money from "./examples/money.json" with { type: "json" };
import operator from "./examples/operator.json" with { type: "json" };
import people from "./examples/people.json" with { type: "json" };
import sandbox from "./examples/sandbox.json" with { type: "json" };
import tokens from "./examples/tokens.json" with { type: "json" };
import webhooks from "./examples/webhooks.json" with { type: "json" };
import { customerRecord, identityVerificationRequest, identityVerificationToken } from "./identity-verification.ts";
import {
  businessChange,
  clientChange,
  clientCreation,
  clientFunding,
  clientSwitch,
  managedClient,
  managedClientList,
  personDecision,
  redelivery,
  redirectsChange,
  secretRotation,
  trustedChange,
  webhookChange,
} from "./operator.ts";
import { createdUserIntent, createUserIntentRequest, userIntentRecord, userRecord } from "./people.ts";
import {
  createBookRoutineRequest,
  routineList,
  routineRecord,
  transferList,
  transferRecord,
  voidedBooking,
} from "./routines.ts";
import {
  clientSettings,
  clientSettingsRecord,
  clockAdvance,
  clockRecord,
  dueList,
  endedTokens,
  fundingRequest,
  idempotencyKeyList,
  ledgerRecord,
  messageList,
  sandboxClient,
  sandboxTransferList,
  tokenExpiry,
  tokenList,
  transferDecision,
  userDecision,
  userIntentDecision,
  userIntentList,
  userList,
  visitList,
  webhookEndpointRequest,
} from "./sandbox.ts";
import { checkReport, customerProbeList, customerProbeRequest, drillList } from "./sandbox-checks.ts";
import { eventPage, requestList } from "./sandbox-events.ts";
import { faultList } from "./sandbox-faults.ts";
import {
  deliveryList,
  deliveryRecord,
  rotatedWebhookSecret,
  webhookFaultRecord,
  webhookFaultRequest,
} from "./sandbox-webhooks.ts";
import {
  authorizationCodeGrant,
  authorizationServerMetadata,
  refreshTokenGrant,
  revocation,
  tokenGrant,
  tokenPair,
} from "./tokens.ts";
import { webhookEvent } from "./webhooks.ts";

const schemas: Record<string, z.ZodMiniType> = {
  UserIntentCreation: createUserIntentRequest,
  CreatedUserIntent: createdUserIntent,
  UserIntent: userIntentRecord,
  User: userRecord,
  AuthorizationCodeGrant: authorizationCodeGrant,
  RefreshTokenGrant: refreshTokenGrant,
  TokenGrant: tokenGrant,
  TokenPair: tokenPair,
  Revocation: revocation,
  AuthorizationServerMetadata: authorizationServerMetadata,
  IdentityVerification: identityVerificationRequest,
  IdentityVerificationToken: identityVerificationToken,
  Customer: customerRecord,
  Account: accountRecord,
  AccountList: accountList,
  BookRoutineCreation: createBookRoutineRequest,
  Routine: routineRecord,
  RoutineList: routineList,
  VoidedBooking: voidedBooking,
  Transfer: transferRecord,
  TransferList: transferList,
  WebhookEvent: webhookEvent,
  Error: errorBody,
  OAuthError: oauthErrorBody,
  SandboxClient: sandboxClient,
  ClientSettings: clientSettings,
  ClientSettingsRecord: clientSettingsRecord,
  WebhookEndpoint: webhookEndpointRequest,
  UserIntentDecision: userIntentDecision,
  UserDecision: userDecision,
  TransferDecision: transferDecision,
  Funding: fundingRequest,
  Ledger: ledgerRecord,
  MessageList: messageList,
  UserIntentList: userIntentList,
  UserList: userList,
  VisitList: visitList,
  SandboxTransferList: sandboxTransferList,
  TokenList: tokenList,
  TokenExpiry: tokenExpiry,
  EndedTokens: endedTokens,
  IdempotencyKeyList: idempotencyKeyList,
  ClockAdvance: clockAdvance,
  Clock: clockRecord,
  DueList: dueList,
  FaultList: faultList,
  EventPage: eventPage,
  RequestList: requestList,
  Delivery: deliveryRecord,
  DeliveryList: deliveryList,
  RotatedWebhookSecret: rotatedWebhookSecret,
  CheckReport: checkReport,
  DrillList: drillList,
  CustomerProbe: customerProbeRequest,
  CustomerProbeList: customerProbeList,
  WebhookFault: webhookFaultRequest,
  WebhookFaultRecord: webhookFaultRecord,
  ClientCreation: clientCreation,
  ClientChange: clientChange,
  ManagedClient: managedClient,
  ManagedClientList: managedClientList,
  SecretRotation: secretRotation,
  RedirectsChange: redirectsChange,
  WebhookChange: webhookChange,
  TrustedChange: trustedChange,
  BusinessChange: businessChange,
  ClientFunding: clientFunding,
  PersonDecision: personDecision,
  Redelivery: redelivery,
  ClientSwitch: clientSwitch,
};
const examples: Record<string, unknown> = {
  ...people,
  ...tokens,
  ...money,
  ...sandbox,
  ...operator,
  WebhookEvent: webhooks.user_intent_updated,
};

/** Every body on the wire, by its name in the OpenAPI document, with an example. */
export const bodies: Record<string, { schema: z.ZodMiniType; example: unknown }> = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [name, { schema, example: examples[name] }]),
);
