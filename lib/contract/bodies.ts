import type * as z from "zod/mini";
import { accountList, accountRecord } from "./accounts.ts";
import { errorBody, oauthErrorBody } from "./errors.ts";
import accountExample from "./examples/account.json" with { type: "json" };
import accountListExample from "./examples/account-list.json" with { type: "json" };
import authorizationCodeGrantExample from "./examples/authorization-code-grant.json" with { type: "json" };
import authorizationServerMetadataExample from "./examples/authorization-server-metadata.json" with { type: "json" };
import checkReportExample from "./examples/check-report.json" with { type: "json" };
import clientSettingsExample from "./examples/client-settings.json" with { type: "json" };
import clientSettingsRecordExample from "./examples/client-settings-record.json" with { type: "json" };
import clockExample from "./examples/clock.json" with { type: "json" };
import clockAdvanceExample from "./examples/clock-advance.json" with { type: "json" };
import createBookRoutineExample from "./examples/create-book-routine.json" with { type: "json" };
import createUserIntentExample from "./examples/create-user-intent.json" with { type: "json" };
import createdUserIntentExample from "./examples/created-user-intent.json" with { type: "json" };
import customerExample from "./examples/customer.json" with { type: "json" };
import customerProbeExample from "./examples/customer-probe.json" with { type: "json" };
import customerProbeListExample from "./examples/customer-probe-list.json" with { type: "json" };
import deliveryExample from "./examples/delivery.json" with { type: "json" };
import deliveryListExample from "./examples/delivery-list.json" with { type: "json" };
import drillListExample from "./examples/drill-list.json" with { type: "json" };
import dueListExample from "./examples/due-list.json" with { type: "json" };
import endedTokensExample from "./examples/ended-tokens.json" with { type: "json" };
import errorExample from "./examples/error.json" with { type: "json" };
import eventPageExample from "./examples/event-page.json" with { type: "json" };
import faultListExample from "./examples/fault-list.json" with { type: "json" };
import fundingExample from "./examples/funding.json" with { type: "json" };
import idempotencyKeyListExample from "./examples/idempotency-key-list.json" with { type: "json" };
import identityVerificationExample from "./examples/identity-verification.json" with { type: "json" };
import identityVerificationTokenExample from "./examples/identity-verification-token.json" with { type: "json" };
import ledgerExample from "./examples/ledger.json" with { type: "json" };
import messageListExample from "./examples/message-list.json" with { type: "json" };
import oauthErrorExample from "./examples/oauth-error.json" with { type: "json" };
import refreshTokenGrantExample from "./examples/refresh-token-grant.json" with { type: "json" };
import requestListExample from "./examples/request-list.json" with { type: "json" };
import revocationExample from "./examples/revocation.json" with { type: "json" };
import rotatedWebhookSecretExample from "./examples/rotated-webhook-secret.json" with { type: "json" };
import routineExample from "./examples/routine.json" with { type: "json" };
import routineListExample from "./examples/routine-list.json" with { type: "json" };
import sandboxClientExample from "./examples/sandbox-client.json" with { type: "json" };
import sandboxTransferListExample from "./examples/sandbox-transfer-list.json" with { type: "json" };
import tokenExpiryExample from "./examples/token-expiry.json" with { type: "json" };
import tokenListExample from "./examples/token-list.json" with { type: "json" };
import tokenPairExample from "./examples/token-pair.json" with { type: "json" };
import transferExample from "./examples/transfer.json" with { type: "json" };
import transferDecisionExample from "./examples/transfer-decision.json" with { type: "json" };
import transferListExample from "./examples/transfer-list.json" with { type: "json" };
import userExample from "./examples/user.json" with { type: "json" };
import userDecisionExample from "./examples/user-decision.json" with { type: "json" };
import userIntentExample from "./examples/user-intent.json" with { type: "json" };
import userIntentDecisionExample from "./examples/user-intent-decision.json" with { type: "json" };
import userIntentListExample from "./examples/user-intent-list.json" with { type: "json" };
import userListExample from "./examples/user-list.json" with { type: "json" };
import visitListExample from "./examples/visit-list.json" with { type: "json" };
import voidedBookingExample from "./examples/voided-booking.json" with { type: "json" };
import webhookExample from "./examples/webhook.json" with { type: "json" };
import webhookEndpointExample from "./examples/webhook-endpoint.json" with { type: "json" };
import webhookFaultExample from "./examples/webhook-fault.json" with { type: "json" };
import webhookFaultRecordExample from "./examples/webhook-fault-record.json" with { type: "json" };
import { customerRecord, identityVerificationRequest, identityVerificationToken } from "./identity-verification.ts";
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

/** The schema of one body, and a body that fits it. */
type Body = { schema: z.ZodMiniType; example: unknown };

/** Every body that crosses the wire, by the name it has in the OpenAPI document, with its golden example. */
export const bodies: Record<string, Body> = {
  UserIntentCreation: { schema: createUserIntentRequest, example: createUserIntentExample },
  CreatedUserIntent: { schema: createdUserIntent, example: createdUserIntentExample },
  UserIntent: { schema: userIntentRecord, example: userIntentExample },
  User: { schema: userRecord, example: userExample },
  AuthorizationCodeGrant: { schema: authorizationCodeGrant, example: authorizationCodeGrantExample },
  RefreshTokenGrant: { schema: refreshTokenGrant, example: refreshTokenGrantExample },
  TokenGrant: { schema: tokenGrant, example: authorizationCodeGrantExample },
  TokenPair: { schema: tokenPair, example: tokenPairExample },
  Revocation: { schema: revocation, example: revocationExample },
  AuthorizationServerMetadata: { schema: authorizationServerMetadata, example: authorizationServerMetadataExample },
  IdentityVerification: { schema: identityVerificationRequest, example: identityVerificationExample },
  IdentityVerificationToken: { schema: identityVerificationToken, example: identityVerificationTokenExample },
  Customer: { schema: customerRecord, example: customerExample },
  Account: { schema: accountRecord, example: accountExample },
  AccountList: { schema: accountList, example: accountListExample },
  BookRoutineCreation: { schema: createBookRoutineRequest, example: createBookRoutineExample },
  Routine: { schema: routineRecord, example: routineExample },
  RoutineList: { schema: routineList, example: routineListExample },
  VoidedBooking: { schema: voidedBooking, example: voidedBookingExample },
  Transfer: { schema: transferRecord, example: transferExample },
  TransferList: { schema: transferList, example: transferListExample },
  WebhookEvent: { schema: webhookEvent, example: webhookExample },
  Error: { schema: errorBody, example: errorExample },
  OAuthError: { schema: oauthErrorBody, example: oauthErrorExample },
  SandboxClient: { schema: sandboxClient, example: sandboxClientExample },
  ClientSettings: { schema: clientSettings, example: clientSettingsExample },
  ClientSettingsRecord: { schema: clientSettingsRecord, example: clientSettingsRecordExample },
  WebhookEndpoint: { schema: webhookEndpointRequest, example: webhookEndpointExample },
  UserIntentDecision: { schema: userIntentDecision, example: userIntentDecisionExample },
  UserDecision: { schema: userDecision, example: userDecisionExample },
  TransferDecision: { schema: transferDecision, example: transferDecisionExample },
  Funding: { schema: fundingRequest, example: fundingExample },
  Ledger: { schema: ledgerRecord, example: ledgerExample },
  MessageList: { schema: messageList, example: messageListExample },
  UserIntentList: { schema: userIntentList, example: userIntentListExample },
  UserList: { schema: userList, example: userListExample },
  VisitList: { schema: visitList, example: visitListExample },
  SandboxTransferList: { schema: sandboxTransferList, example: sandboxTransferListExample },
  TokenList: { schema: tokenList, example: tokenListExample },
  TokenExpiry: { schema: tokenExpiry, example: tokenExpiryExample },
  EndedTokens: { schema: endedTokens, example: endedTokensExample },
  IdempotencyKeyList: { schema: idempotencyKeyList, example: idempotencyKeyListExample },
  ClockAdvance: { schema: clockAdvance, example: clockAdvanceExample },
  Clock: { schema: clockRecord, example: clockExample },
  DueList: { schema: dueList, example: dueListExample },
  FaultList: { schema: faultList, example: faultListExample },
  EventPage: { schema: eventPage, example: eventPageExample },
  RequestList: { schema: requestList, example: requestListExample },
  Delivery: { schema: deliveryRecord, example: deliveryExample },
  DeliveryList: { schema: deliveryList, example: deliveryListExample },
  RotatedWebhookSecret: { schema: rotatedWebhookSecret, example: rotatedWebhookSecretExample },
  CheckReport: { schema: checkReport, example: checkReportExample },
  DrillList: { schema: drillList, example: drillListExample },
  CustomerProbe: { schema: customerProbeRequest, example: customerProbeExample },
  CustomerProbeList: { schema: customerProbeList, example: customerProbeListExample },
  WebhookFault: { schema: webhookFaultRequest, example: webhookFaultExample },
  WebhookFaultRecord: { schema: webhookFaultRecord, example: webhookFaultRecordExample },
};
