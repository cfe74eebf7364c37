import { authorizationServerCalls, identityVerificationCalls, tokenCalls } from "./authorization.ts";
import {
  asClient,
  type CallService,
  callService,
  createPauses,
  type InSpan,
  type ObservedCall,
  type ServiceLog,
  type TraceId,
} from "./call-service.ts";
import { accountCalls, type BookFields, routineCalls, transferCalls } from "./payments.ts";
import { sandboxCalls } from "./sandbox.ts";
import { userCalls, userIntentCalls } from "./users.ts";

/** The service's address, our credentials, and where services may differ. */
export type ClientSettings = {
  /** Includes the path; no trailing slash. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** The service's name for our customer system. */
  provider: string;
  /** Not published; `idempotency-key` by default. */
  idempotencyHeader?: string;
  /** The path and field names for creating a payment. Not published; our own service's by default. */
  bookPath?: string;
  bookFields?: BookFields;
  /** The path that lists a user's payment instruments; `/v1/accounts` by default. */
  accountsPath?: string;
  /** 10 s by default. */
  timeoutMs?: number;
  /** Silent by default. */
  log?: ServiceLog;
  /** The trace for calls that don't name one; a new one per call by default. */
  currentTraceId?: () => TraceId | undefined;
  /** Receives each finished call. Its errors are only logged. Redact what you keep. */
  observe?: ((call: ObservedCall) => void) | undefined;
  /** Runs each call inside a span; no spans by default. */
  inSpan?: InSpan;
};

// Longer than the service's own slowest call, to the customer endpoint (5 s, Decision D11).
const timeoutMsDefault = 10_000;
const silentLog: ServiceLog = { info: () => {}, warn: () => {}, error: () => {} };

/** One function per service call. Each returns a value and never throws. */
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

export type Client = ReturnType<typeof createClient>;
