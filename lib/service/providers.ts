import type { ErrorReason } from "../contract/errors.ts";
import type { RejectionReason } from "../contract/people.ts";
import type { CustomerProbe } from "../contract/sandbox-checks.ts";
import type { VisitEvent } from "../contract/sandbox-events.ts";
import type { FaultCut } from "../contract/sandbox-faults.ts";
import type { UserIntentStatus } from "../contract/statuses.ts";
import { processWide } from "../kit/memoize.ts";
import type { TraceId } from "../kit/trace.ts";
import type { SettlementOutcome } from "./domain/settlement.ts";
import type { OutgoingWebhook, SendWebhook } from "./outbound/deliver-webhook.ts";

/** What a screening decides; becoming a user is the person's own step. */
export type ScreeningDecision = {
  status: Exclude<UserIntentStatus, "pending" | "converted_to_user">;
  rejectionReasons: RejectionReason[];
};

/** Screens people; the answer is undefined when somebody must decide by hand. Asked outside of transactions, so it may take its time. */
export type ScreeningProvider = {
  screenIdentity: (identity: { ssn: string }) => Promise<ScreeningDecision | undefined>;
  /** The corrected details of a retry, of which there is only one. */
  screenCorrection: (corrected: { ssn: string }) => Promise<ScreeningDecision | undefined>;
  screenPhotoId: (photo: Uint8Array) => Promise<ScreeningDecision | undefined>;
};

/** A call of the API whose caller is known. `hasFaults`: whether something is to go wrong with some of this client's calls. */
export type KnownCall = { operation: string; clientId: string; hasFaults: boolean; who: "client" | "user" };

/** How a call is made to fail: the reason, what its caller is told, and the word for the operator's log. */
export type CallFault = { refuse: ErrorReason; detail: string; cause: string };

/** A call that gets no answer: its connection is cut before anything was done, or after all of it was. */
export type CallCut = { cut: FaultCut };

/** A delivery that was claimed; `attempts`: how many there were before. */
export type ClaimedWebhook = Omit<OutgoingWebhook, "sentAt" | "answerBytesMax"> & {
  clientId: string;
  attempts: number;
};

/** A delivery to be sent now, and how. */
export type PlannedDelivery<Delivery> = { delivery: Delivery; send: SendWebhook };

/** How many seconds a clock is ahead of real time, and how to move it on; false when that would be too far. */
export type MovableClock = { secondsAhead: number; advance: (seconds: number) => Promise<boolean> };

/** A step of a person on the authorization pages, with nothing in it redacted. */
export type VisitSight = {
  kind: "visit";
  clientId: string;
  traceId: TraceId;
  step: VisitEvent["step"];
  visitId: string | null;
  userIntentId: string | null;
  userId: string | null;
  /** With what the person was sent to us. */
  query?: URLSearchParams | undefined;
  /** Where the person was sent to. */
  returnTo?: string | undefined;
  /** Why a session token opened nothing, or what was sent in was refused. */
  cause?: string | undefined;
};

/** A call of a client's customer endpoint, with nothing in it redacted; `status` is null when there was no answer. */
export type CustomerSight = {
  kind: "customer";
  clientId: string;
  traceId: TraceId;
  durationMs: number;
  url: string | null;
  status: number | null;
  /** What was answered, if that was JSON. */
  body: unknown;
  problems: string[];
  customerId: string;
  /** How it was asked, where it was not for a person who sets out. */
  probe: CustomerProbe | null;
  userIntentId: string | null;
  userId: string | null;
};

/** What a sandbox keeps beside calls and deliveries (Decision D20). */
export type Sight = VisitSight | CustomerSight;

/** What the service leaves to somebody else: to the world in production, to the sandbox's own rules in a sandbox. */
export type Providers = {
  /** undefined: none is connected, and then a process with workers does not start. */
  screening: ScreeningProvider | undefined;
  /** How a transfer of this amount settles once it falls due. */
  settlementOf: (amountCents: number) => SettlementOutcome;
  /** Makes a call slow, fail or stay without an answer; "slowed" after a wait and undefined otherwise, when it is to be answered as usual. */
  faultOf: (call: KnownCall) => Promise<CallFault | CallCut | "slowed" | undefined>;
  /** Of the deliveries that were claimed, those to send now, each by `send` or by a way around it. */
  planDeliveries: <Delivery extends ClaimedWebhook>(
    claimed: Delivery[],
    send: SendWebhook,
  ) => Promise<PlannedDelivery<Delivery>[]>;
  /** Told what happened beside the calls of the API; undefined where nobody watches, so that nothing is made up for it. */
  watch: ((sight: Sight) => void) | undefined;
  /** The credentials of a sandbox's public client, if it has one whose secret stands in .env.example. */
  demoCredentials: (() => { clientId: string; clientSecret: string } | undefined) | undefined;
  /** Whether the authorization pages show the texts that were sent, in place of a phone. */
  showsTexts: boolean;
  /** A client's clock, where it can be moved; undefined where time is what it is. */
  clockOf: ((clientId: string) => Promise<MovableClock>) | undefined;
};

/** Production's. To screen people, connect a screening provider here: it is a value of the type `ScreeningProvider`. */
export const productionProviders: Providers = {
  screening: undefined,
  settlementOf: () => "processed",
  faultOf: async () => undefined,
  planDeliveries: async (claimed, send) => claimed.map((delivery) => ({ delivery, send })),
  watch: undefined,
  demoCredentials: undefined,
  showsTexts: false,
  clockOf: undefined,
};

const choice = processWide<{ providers?: Providers }>("service.providers", () => ({}));

/** Chooses what `providers()` returns, once where a process starts. */
export function chooseProviders(providers: Providers): void {
  choice().providers = providers;
}

/** The providers of this process. Throws before they are chosen, because none of them may stand in for the other unseen. */
export function providers(): Providers {
  const { providers: chosen } = choice();
  if (!chosen) throw new Error("The start of a process must choose its providers (lib/service/providers.ts).");
  return chosen;
}
