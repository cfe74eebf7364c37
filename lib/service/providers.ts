import type { RejectionReason } from "../contract/people.ts";
import type { CustomerProbe } from "../contract/sandbox-checks.ts";
import type { VisitEvent } from "../contract/sandbox-events.ts";
import type { UserIntentStatus } from "../contract/statuses.ts";
import { processWide } from "../kit/memoize.ts";
import type { TraceId } from "../kit/trace.ts";
import type { SettlementOutcome } from "./domain/transfers.ts";
import type { VisitKey } from "./operations/visits/visit-key.ts";
import type { OutgoingWebhook, SendWebhook } from "./outbound/deliver-webhook.ts";

export type ScreeningDecision = {
  status: Exclude<UserIntentStatus, "pending" | "converted_to_user">;
  rejectionReasons: RejectionReason[];
};

/** Screens people; undefined leaves the decision to an operator. Called outside of transactions, so it may be slow. */
export type ScreeningProvider = {
  screenIdentity: (identity: { ssn: string }) => Promise<ScreeningDecision | undefined>;
  /** The corrected details of a retry, which happens once. */
  screenCorrection: (corrected: { ssn: string }) => Promise<ScreeningDecision | undefined>;
  screenPhotoId: (photo: Uint8Array) => Promise<ScreeningDecision | undefined>;
};

/** `attempts`: the number of earlier ones. */
export type ClaimedWebhook = Omit<OutgoingWebhook, "sentAt" | "answerBytesMax"> & {
  clientId: string;
  attempts: number;
};

export type PlannedDelivery<Delivery> = { delivery: Delivery; send: SendWebhook };

/** The sandbox bar of a visit's page; `secondsAhead` is the offset of the client's clock. */
export type VisitControls = { clientName: string; decisions: HandDecision[]; secondsAhead: number };

export type HandDecision = "approved" | "rejected" | "retry" | "document";

/** Decrypted; `sentAt` is ISO 8601. */
export type ReadableMessage = { id: string; phone: string; text: string; sentAt: string };

/** What a sandbox lets a person do on the pages of their own visit. */
export type VisitTools = {
  /** Undefined unless the key opens a visit that is not finished. */
  readControls: (key: VisitKey) => Promise<VisitControls | undefined>;
  /** False when the status can't change to this one. */
  decidePerson: (key: VisitKey, decision: HandDecision) => Promise<boolean>;
  /** False when that is too far. */
  advanceVisitClock: (key: VisitKey, seconds: number) => Promise<boolean>;
  /** The texts to the visit's phone while it waits for its code, newest last; undefined at any other time. */
  readVisitMessages: (key: VisitKey) => Promise<ReadableMessage[] | undefined>;
};

/** A person's step on the authorization pages, unredacted. */
export type VisitObservation = {
  kind: "visit";
  clientId: string;
  traceId: TraceId;
  step: VisitEvent["step"];
  visitId: string | null;
  userIntentId: string | null;
  userId: string | null;
  query?: URLSearchParams | undefined;
  returnTo?: string | undefined;
  cause?: string | undefined;
};

/** A call to a customer endpoint, unredacted; `status` is null without an answer. */
export type CustomerObservation = {
  kind: "customer";
  clientId: string;
  traceId: TraceId;
  durationMs: number;
  url: string | null;
  status: number | null;
  body: unknown;
  problems: string[];
  customerId: string;
  /** null for the call that mints a session token. */
  probe: CustomerProbe | null;
  userIntentId: string | null;
  userId: string | null;
};

/** What a sandbox records in addition to calls and deliveries (Decision D20). */
export type Observation = VisitObservation | CustomerObservation;

/** What a deployment plugs in: production's vendors, or the sandbox's simulation. */
export type Providers = {
  /** Without one, a process with workers refuses to start. */
  screening: ScreeningProvider | undefined;
  settlementOf: (amountCents: number) => SettlementOutcome;
  /** The claimed deliveries to send now, each with `send` or a wrapper of it. */
  planDeliveries: <Delivery extends ClaimedWebhook>(
    claimed: Delivery[],
    send: SendWebhook,
  ) => Promise<PlannedDelivery<Delivery>[]>;
  watch: ((observation: Observation) => void) | undefined;
  /** The credentials of a sandbox's public client, if its secret is the one in .env.example. */
  demoCredentials: (() => { clientId: string; clientSecret: string } | undefined) | undefined;
  visitTools: VisitTools | undefined;
};

/** To screen people in production, connect a screening provider here. */
export const productionProviders: Providers = {
  screening: undefined,
  settlementOf: () => "processed",
  planDeliveries: async (claimed, send) => claimed.map((delivery) => ({ delivery, send })),
  watch: undefined,
  demoCredentials: undefined,
  visitTools: undefined,
};

const choice = processWide<{ providers?: Providers }>("service.providers", () => ({}));

/** Called once, when a process starts. */
export function chooseProviders(providers: Providers): void {
  choice().providers = providers;
}

/** Throws before they are chosen: there is no default. */
export function providers(): Providers {
  const { providers: chosen } = choice();
  if (!chosen) throw new Error("Call chooseProviders when the process starts (lib/service/providers.ts).");
  return chosen;
}
