import type { CustomerRecord } from "../contract/identity-verification.ts";
import type { RejectionReason } from "../contract/people.ts";
import type {
  PhotoIdStorage,
  ProviderModule,
  ScreeningProvider,
  SendText,
  SettlementProvider,
} from "../contract/providers.ts";
import type { CustomerProbe } from "../contract/sandbox-checks.ts";
import type { VisitEvent } from "../contract/sandbox-events.ts";
import type { ForeignPart } from "../contract/sandbox-faults.ts";
import type { UserIntentStatus } from "../contract/statuses.ts";
import { processWide } from "../kit/memoize.ts";
import type { TraceId } from "../kit/trace.ts";
import type { SettlementOutcome } from "./domain/transfers.ts";
import type { OutgoingWebhook, SendWebhook } from "./outbound/deliver-webhook.ts";
import type { VisitKey } from "./storage/visits.ts";

export type ScreeningDecision = {
  status: Exclude<UserIntentStatus, "pending" | "converted_to_user">;
  rejectionReasons: RejectionReason[];
};

/** `attempts` is the number of earlier attempts. */
export type ClaimedWebhook = Omit<OutgoingWebhook, "sentAt" | "answerBytesMax"> & {
  clientId: string;
  attempts: number;
};

/** The sandbox bar of a visit's page; `secondsAhead` is the offset of the client's clock. */
export type VisitControls = { clientName: string; decisions: ManualDecision[]; secondsAhead: number };

export type ManualDecision = "approved" | "rejected" | "retry" | "document";

/** Decrypted; `sentAt` is ISO 8601. */
export type ReadableMessage = { id: string; phone: string; text: string; sentAt: string };

/** What a sandbox lets a person do on the pages of their own visit. */
export type VisitTools = {
  /** Undefined unless the key opens a visit that is not finished. */
  readControls: (key: VisitKey) => Promise<VisitControls | undefined>;
  /** False if the status can't change to this one. */
  decidePerson: (key: VisitKey, decision: ManualDecision) => Promise<boolean>;
  /** False if that's too far. */
  advanceVisitClock: (key: VisitKey, seconds: number) => Promise<boolean>;
  /** The texts to the visit's phone while it waits for its code, newest last; otherwise undefined. */
  readVisitMessages: (key: VisitKey) => Promise<ReadableMessage[] | undefined>;
};

/** A visit whose person authorized. */
export type FinishedVisit = { id: string; clientId: string; traceId: TraceId };

/** A redirect back with a part that doesn't belong to its visit. */
export type FaultyRedirect = { returnTo: string; foreign: ForeignPart };

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
  foreign?: ForeignPart | undefined;
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

export type CustomerLookup = { clientId: string; customerId: string; phone: string };

/** What a sandbox records in addition to calls and deliveries (Decision D20). */
export type Observation = VisitObservation | CustomerObservation;

/** What a deployment plugs in: production's vendors, or the sandbox's simulation. */
export type Providers = {
  /** Whether pages show texts instead of sending them. If not, a process with workers refuses to start without a carrier. */
  showsTexts: boolean;
  sendText: SendText | undefined;
  /** Without one, a process with workers refuses to start. */
  screening: ScreeningProvider | undefined;
  /** Without one, the service settles due transfers itself, as `settlementOf` says. */
  settlement: SettlementProvider | undefined;
  /** Without one, photo IDs are stored in the database. */
  photoIds: PhotoIdStorage | undefined;
  settlementOf: (amountCents: number) => SettlementOutcome;
  /** Starts each claimed delivery to send now, with `send` or a wrapper of it. */
  startDeliveries: <Delivery extends ClaimedWebhook>(
    claimed: Delivery[],
    send: SendWebhook,
    start: (delivery: Delivery, send: SendWebhook) => void,
  ) => Promise<void>;
  watch?: (observation: Observation) => void;
  /** The credentials of a sandbox's public client, if its secret is the one in .env.example. */
  demoCredentials?: () => { clientId: string; clientSecret: string } | undefined;
  visitTools?: VisitTools;
  /** Replaces the redirect of a person who authorized; undefined keeps the right one. */
  redirectWithFault?: (visit: FinishedVisit, returnTo: string) => Promise<FaultyRedirect | undefined>;
  /** Answers for the customer endpoint of a client that has none. */
  standInForCustomer?: (lookup: CustomerLookup) => Promise<CustomerRecord>;
};

/** Production, with what the PROVIDERS module plugs in. */
export function productionProviders({ sendText, screening, settlement, photoIds }: ProviderModule = {}): Providers {
  return {
    showsTexts: false,
    sendText,
    screening,
    settlement,
    photoIds,
    settlementOf: () => "processed",
    startDeliveries: async (claimed, send, start) => {
      for (const delivery of claimed) start(delivery, send);
    },
  };
}

/** A provider's call failed or took too long, so its outcome is unknown. The message contains no personal data. */
export class ProviderFailedError extends Error {}

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
