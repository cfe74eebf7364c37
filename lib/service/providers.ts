import type { RejectionReason } from "../contract/people.ts";
import type { CustomerProbe } from "../contract/sandbox-checks.ts";
import type { VisitEvent } from "../contract/sandbox-events.ts";
import type { UserIntentStatus } from "../contract/statuses.ts";
import { processWide } from "../kit/memoize.ts";
import type { TraceId } from "../kit/trace.ts";
import type { SettlementOutcome } from "./domain/transfers.ts";
import type { VisitKey } from "./operations/visits/visit-key.ts";
import type { OutgoingWebhook, SendWebhook } from "./outbound/deliver-webhook.ts";

/** What a screening decides; becoming a user is the person's own step. */
export type ScreeningDecision = {
  status: Exclude<UserIntentStatus, "pending" | "converted_to_user">;
  rejectionReasons: RejectionReason[];
};

/** Screens people; undefined when an operator must decide. Called outside of transactions, so it may be slow. */
export type ScreeningProvider = {
  screenIdentity: (identity: { ssn: string }) => Promise<ScreeningDecision | undefined>;
  /** The corrected details of a retry, of which there is only one. */
  screenCorrection: (corrected: { ssn: string }) => Promise<ScreeningDecision | undefined>;
  screenPhotoId: (photo: Uint8Array) => Promise<ScreeningDecision | undefined>;
};

/** A delivery that was claimed; `attempts`: how many there were before. */
export type ClaimedWebhook = Omit<OutgoingWebhook, "sentAt" | "answerBytesMax"> & {
  clientId: string;
  attempts: number;
};

/** A delivery to be sent now, and how. */
export type PlannedDelivery<Delivery> = { delivery: Delivery; send: SendWebhook };

/** What the sandbox bar of a visit's page offers; `secondsAhead` is how far the client's clock is ahead of real time. */
export type VisitControls = { clientName: string; decisions: HandDecision[]; secondsAhead: number };

/** A status that an operator can give a person by hand. */
export type HandDecision = "approved" | "rejected" | "retry" | "document";

/** A text that the service sent, decrypted; `sentAt` is ISO 8601. */
export type ReadableMessage = { id: string; phone: string; text: string; sentAt: string };

/** What a sandbox lets a person do on the pages of their own visit. */
export type VisitTools = {
  /** Undefined unless the key opens a visit that is not finished. */
  readControls: (key: VisitKey) => Promise<VisitControls | undefined>;
  /** Decides about the visit's person, as the sandbox call does; false when that status cannot follow. */
  decidePerson: (key: VisitKey, decision: HandDecision) => Promise<boolean>;
  /** Moves the clock of the visit's client; false when that is too far. */
  advanceVisitClock: (key: VisitKey, seconds: number) => Promise<boolean>;
  /** The texts to the visit's phone while it waits for its code, newest last; undefined at any other time. */
  readVisitMessages: (key: VisitKey) => Promise<ReadableMessage[] | undefined>;
};

/** A step of a person on the authorization pages, unredacted. */
export type VisitObservation = {
  kind: "visit";
  clientId: string;
  traceId: TraceId;
  step: VisitEvent["step"];
  visitId: string | null;
  userIntentId: string | null;
  userId: string | null;
  /** The query with which the person arrived. */
  query?: URLSearchParams | undefined;
  /** The address the person was redirected to. */
  returnTo?: string | undefined;
  /** Why a session token or a submission was refused. */
  cause?: string | undefined;
};

/** A call of a client's customer endpoint, unredacted; `status` is null when there was no answer. */
export type CustomerObservation = {
  kind: "customer";
  clientId: string;
  traceId: TraceId;
  durationMs: number;
  url: string | null;
  status: number | null;
  /** The response body, if it was JSON. */
  body: unknown;
  problems: string[];
  customerId: string;
  /** Which probe this was; null for the call that mints a session token. */
  probe: CustomerProbe | null;
  userIntentId: string | null;
  userId: string | null;
};

/** What a sandbox records besides calls and deliveries (Decision D20). */
export type Observation = VisitObservation | CustomerObservation;

/** What a deployment plugs in: production's own choice of vendors, or the sandbox's simulation. */
export type Providers = {
  /** undefined: none is connected, so a process with workers refuses to start. */
  screening: ScreeningProvider | undefined;
  /** How a transfer of this amount settles once it falls due. */
  settlementOf: (amountCents: number) => SettlementOutcome;
  /** Of the deliveries that were claimed, those to send now, each by `send` or by a way around it. */
  planDeliveries: <Delivery extends ClaimedWebhook>(
    claimed: Delivery[],
    send: SendWebhook,
  ) => Promise<PlannedDelivery<Delivery>[]>;
  /** Records what happens besides API calls; undefined in production. */
  watch: ((observation: Observation) => void) | undefined;
  /** The credentials of a sandbox's public client, if its secret is the one in .env.example. */
  demoCredentials: (() => { clientId: string; clientSecret: string } | undefined) | undefined;
  /** The sandbox bar and the phone on the authorization pages; undefined in production. */
  visitTools: VisitTools | undefined;
};

/** Production's. To screen people, connect a screening provider here: it is a value of the type `ScreeningProvider`. */
export const productionProviders: Providers = {
  screening: undefined,
  settlementOf: () => "processed",
  planDeliveries: async (claimed, send) => claimed.map((delivery) => ({ delivery, send })),
  watch: undefined,
  demoCredentials: undefined,
  visitTools: undefined,
};

const choice = processWide<{ providers?: Providers }>("service.providers", () => ({}));

/** Chooses what `providers()` returns, once where a process starts. */
export function chooseProviders(providers: Providers): void {
  choice().providers = providers;
}

/** The providers of this process. Throws before they are chosen: there is no default. */
export function providers(): Providers {
  const { providers: chosen } = choice();
  if (!chosen) throw new Error("The start of a process must choose its providers (lib/service/providers.ts).");
  return chosen;
}
