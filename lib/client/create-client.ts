import { accountCalls } from "./accounts.ts";
import { authorizationServerCalls, identityVerificationCalls, tokenCalls } from "./authorization.ts";
import {
  asClient,
  type CallService,
  callService,
  type InSpan,
  type ObservedCall,
  type ServiceLog,
  type TraceId,
} from "./call-service.ts";
import { createPauses } from "./pauses.ts";
import { type BookFields, routineCalls, transferCalls } from "./routines.ts";
import { sandboxCalls } from "./sandbox.ts";
import { userCalls, userIntentCalls } from "./users.ts";

/** Where the service is, and who we are there. */
export type ClientSettings = {
  /** With its path, without a slash at the end. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** The service's name of our customer system. */
  provider: string;
  /** The name of the idempotency header is not published; `idempotency-key` when left out. */
  idempotencyHeader?: string;
  /** Where a payment is created and what its four fields are called is not published; as our own service has it when left out. */
  bookPath?: string;
  bookFields?: BookFields;
  /** Where a user's payment instruments are listed; `/v1/accounts` when left out. */
  accountsPath?: string;
  /** The longest that a call lasts; 10 s when left out. */
  timeoutMs?: number;
  /** Nothing is logged when left out. */
  log?: ServiceLog;
  /** The trace of a call that names none; a new one for each when left out or undefined. */
  currentTraceId?: () => TraceId | undefined;
  /** Told of each call once it is over. What it throws is logged and changes nothing; keep nothing of it unredacted. */
  observe?: ((call: ObservedCall) => void) | undefined;
  /** Makes a span of each call; none when left out. */
  inSpan?: InSpan;
};

// Longer than a service may take for its own slowest call, the customer endpoint (5 s, Decision D11).
const timeoutMsDefault = 10_000;
const silentLog: ServiceLog = { info: () => {}, warn: () => {}, error: () => {} };

/** One function per call to the service. Every one answers with a value and throws nothing. */
export function createClient(settings: ClientSettings) {
  const {
    baseUrl,
    provider,
    idempotencyHeader = "idempotency-key",
    bookPath,
    bookFields,
    accountsPath,
    timeoutMs = timeoutMsDefault,
    log = silentLog,
    currentTraceId = () => undefined,
    observe,
    inSpan = (_start, work) => work(),
  } = settings;
  const connection = {
    baseUrl,
    idempotencyHeader,
    timeoutMs,
    log,
    currentTraceId,
    observe,
    pauses: createPauses(),
    inSpan,
  };
  const call: CallService = (request) => callService(connection, request);
  const authorization = asClient(settings);
  return {
    ...userIntentCalls(call, authorization),
    ...identityVerificationCalls(call, authorization, provider),
    ...tokenCalls(call, authorization),
    ...authorizationServerCalls(call),
    ...userCalls(call),
    ...accountCalls(call, accountsPath),
    ...routineCalls(call, { path: bookPath, fields: bookFields }),
    ...transferCalls(call),
    ...sandboxCalls(call, authorization),
  };
}

/** The calls of a client. */
export type Client = ReturnType<typeof createClient>;
