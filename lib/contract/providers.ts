import * as z from "zod/mini";
import { type CreateUserIntentRequest, type RejectionReason, rejectionReason } from "./people.ts";
import { uuid } from "./text.ts";

// What a deployment plugs in: the default export of the module named by PROVIDERS. Both apps use it;
// docs/operations.md#providers explains it.

/**
 * `signal` is aborted when time is up. If a call throws or times out, its outcome is unknown and it's retried with backoff
 * and the same `id`. So providers must be idempotent by `id`.
 */
export type ProviderCall = { signal: AbortSignal };

/** `to` is a US number in E.164. */
export type OutgoingText = { id: string; to: string; text: string };

/** Plain text. */
export type OutgoingEmail = { id: string; to: string; subject: string; text: string };

/** `refused`: can't ever be delivered, so it isn't retried. `reference` is the provider's own; `reason` is logged. */
export type SendOutcome = { kind: "sent"; reference?: string } | { kind: "refused"; reason: string };

export type SendText = (text: OutgoingText, call: ProviderCall) => Promise<SendOutcome>;
export type SendEmail = (email: OutgoingEmail, call: ProviderCall) => Promise<SendOutcome>;

/** The client's data, with the person's corrections. The ssn has nine digits, or four. */
export type ScreenedPerson = Omit<CreateUserIntentRequest, "metadata">;

/** A person as onboarded, their corrected details (status `retry`), or their photo ID (status `document`). */
export type ScreeningQuestion = { id: string; person: ScreenedPerson } & (
  | { kind: "identity" | "correction" }
  | { kind: "photo_id"; photo: Uint8Array }
);

/**
 * `retry` asks the person once for corrected details, and `document` asks for a photo ID. `pending` is decided later,
 * `undecided` by an operator (`npm run client -- decide`).
 */
export type ScreeningAnswer =
  | { kind: "approved" | "retry" | "document" | "undecided" }
  | { kind: "rejected"; reasons?: RejectionReason[] }
  | { kind: "pending"; reference: string };

/** A request from a provider to this service. The module must verify the sender. */
export type ProviderCallback = { headers: Headers; body: Uint8Array };

/** `id` is the question's. */
export type ProviderResult<Answer> = { id: string; answer: Answer };

/**
 * Reads `POST /callbacks/screening` or `/callbacks/settlement` on the operator's listener. Returns undefined if the sender
 * isn't the provider.
 */
export type ReadCallback<Answer> = (
  callback: ProviderCallback,
  call: ProviderCall,
) => Promise<ProviderResult<Answer>[] | undefined>;

export type ScreeningProvider = {
  ask: (question: ScreeningQuestion, call: ProviderCall) => Promise<ScreeningAnswer>;
  /** Asks again about a `pending` question, with backoff up to an hour, because callbacks get lost. */
  poll: (pending: { id: string; reference: string }, call: ProviderCall) => Promise<ScreeningAnswer>;
  readCallback?: ReadCallback<ScreeningAnswer>;
};

/** The values of `failure_reason` (Decision D13). */
export const settlementFailures = [
  "account_closed",
  "instrument_not_usable",
  "insufficient_funds",
  "unspecified",
] as const;
export type SettlementFailure = (typeof settlementFailures)[number];

/** `holder` is the name of the person or business. */
export type SettledAccount = {
  id: string;
  userId: string;
  holder: string;
  type: "wallet" | "operating";
  mask: string;
};

/** Moves USD cents from source to destination. `id` is the transfer's: move the money once, however often it arrives. */
export type SettlementOrder = {
  id: string;
  clientId: string;
  amountCents: number;
  source: SettledAccount;
  destination: SettledAccount;
};

/**
 * `pending` settles later. `returned`: it settled, and the money came back, possibly days later. With `returns`, `poll`
 * asks about a settled order once a day for that many days; a callback can report a return at any time.
 */
export type SettlementAnswer =
  | { kind: "settled"; returns?: { reference: string; days: number } }
  | { kind: "failed" | "returned"; reason: SettlementFailure }
  | { kind: "pending"; reference: string };

export type SettlementProvider = {
  order: (order: SettlementOrder, call: ProviderCall) => Promise<SettlementAnswer>;
  /** Asks again about a `pending` order, with backoff up to an hour, and about a settled one with `returns`. */
  poll: (pending: { id: string; reference: string }, call: ProviderCall) => Promise<SettlementAnswer>;
  readCallback?: ReadCallback<SettlementAnswer>;
};

/**
 * A store of immutable objects by id. `content` is encrypted with a key that only the service's database has, so the store
 * needs no encryption of its own, and gets no name, type or address.
 */
export type PhotoIdStorage = {
  /** A retry, for example after a timeout, has the same id and content. */
  put: (photo: { id: string; content: Uint8Array }, call: ProviderCall) => Promise<void>;
  /** Undefined if there is none; throws if the store is unreachable. */
  get: (photo: { id: string }, call: ProviderCall) => Promise<Uint8Array | undefined>;
  /** Succeeds if there is none. */
  delete: (photo: { id: string }, call: ProviderCall) => Promise<void>;
};

export type ProviderModule = {
  sendText?: SendText;
  sendEmail?: SendEmail;
  screening?: ScreeningProvider;
  /** Without one, the service settles due transfers itself. */
  settlement?: SettlementProvider;
  /** Without it, photo IDs are stored in the service's database. */
  photoIds?: PhotoIdStorage;
};

const functionSchema = z.custom((value) => typeof value === "function", "must be a function");

const providerModule = z.strictObject({
  sendText: z.optional(functionSchema),
  sendEmail: z.optional(functionSchema),
  screening: z.optional(
    z.strictObject({
      ask: functionSchema,
      poll: functionSchema,
      readCallback: z.optional(functionSchema),
    } satisfies Record<keyof ScreeningProvider, z.ZodMiniType>),
  ),
  settlement: z.optional(
    z.strictObject({
      order: functionSchema,
      poll: functionSchema,
      readCallback: z.optional(functionSchema),
    } satisfies Record<keyof SettlementProvider, z.ZodMiniType>),
  ),
  photoIds: z.optional(
    z.strictObject({ put: functionSchema, get: functionSchema, delete: functionSchema } satisfies Record<
      keyof PhotoIdStorage,
      z.ZodMiniType
    >),
  ),
} satisfies Record<keyof ProviderModule, z.ZodMiniType>);

const reference = z.string().check(z.minLength(1), z.maxLength(200));

/** Schemas for a provider's answers; anything else is rejected. */
export const sendOutcome: z.ZodMiniType<SendOutcome> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("sent"), reference: z.optional(reference) }),
  z.object({ kind: z.literal("refused"), reason: z.string() }),
]);

export const screeningAnswer: z.ZodMiniType<ScreeningAnswer> = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["approved", "retry", "document", "undecided"]) }),
  z.object({ kind: z.literal("rejected"), reasons: z.optional(z.array(rejectionReason)) }),
  z.object({ kind: z.literal("pending"), reference }),
]);

const returnDays = z.int().check(z.minimum(1), z.maximum(400));

export const settlementAnswer: z.ZodMiniType<SettlementAnswer> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("settled"), returns: z.optional(z.object({ reference, days: returnDays })) }),
  z.object({ kind: z.enum(["failed", "returned"]), reason: z.enum(settlementFailures) }),
  z.object({ kind: z.literal("pending"), reference }),
]);

/** The results in a callback. Ids are ours, so they're UUIDs. */
export function resultsOf<Answer>(answer: z.ZodMiniType<Answer>): z.ZodMiniType<ProviderResult<Answer>[]> {
  return z.array(z.object({ id: uuid, answer }));
}

/** Throws an error that says what's wrong with the answer, without its values. */
export function requireAnswer<Answer>(schema: z.ZodMiniType<Answer>, answer: unknown): Answer {
  const { data, error, success } = schema.safeParse(answer);
  if (success) return data;
  const [issue] = error.issues;
  throw new Error(`The provider's answer has a wrong ${issue?.path.join(".") || "shape"}: ${issue?.message}`);
}

/** Undefined for a valid provider module, otherwise the end of a sentence that says what's wrong with it. */
export function findModuleProblem(exported: unknown): string | undefined {
  if (typeof exported !== "object" || exported === null) return "has no default export that is an object";
  const [issue] = providerModule.safeParse(exported).error?.issues ?? [];
  if (!issue) return undefined;
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(providerModule.shape).join(", ");
    return `exports ${[...issue.path, ...issue.keys].join(".")}, which isn't a provider; providers are: ${known}`;
  }
  return `exports an invalid ${issue.path.join(".")}: it ${issue.message}`;
}
