import type { FieldProblem } from "../../contract/errors.ts";
import type { TraceId } from "../../kit/trace.ts";

/** As it was on the wire, with secrets and personal data replaced. `charactersLeftOut`: of a body that is too long to keep. */
export type RedactedMessage = { headers: Record<string, string>; body?: unknown; charactersLeftOut?: number };

/**
 * How it ended. Of our calls: `ok`, `not_understood` (a success that could not be used), `refused`, `undecided` (answered, and
 * it may have taken effect all the same), `unknown` (no answer came), `not_sent` (nobody to connect to). Of requests to
 * us: `answered`. Of webhooks: `accepted`, `duplicate`, `turned_away`.
 */
export type EntryOutcome =
  | "ok"
  | "not_understood"
  | "refused"
  | "undecided"
  | "unknown"
  | "not_sent"
  | "answered"
  | "accepted"
  | "duplicate"
  | "turned_away";

/** One exchange between Harbor and the service, as it is kept: redacted. */
export type EntryDetails = {
  kind: "call" | "answer" | "webhook";
  /** What caused it, as in `Action`; undefined when Harbor acted by itself. */
  cause?: string | undefined;
  method: string;
  /** Without its query. */
  path: string;
  query?: string | undefined;
  outcome: EntryOutcome;
  status?: number | undefined;
  durationMs?: number | undefined;
  /** Why it was refused, turned away or not answered, for a developer. */
  why?: string | undefined;
  /** The fields that could not be read, or that were refused. */
  problems: FieldProblem[];
  requestId?: string | undefined;
  request: RedactedMessage;
  response?: RedactedMessage | undefined;
};

/** An entry of the inspector; `at` is ISO 8601, real time. */
export type Entry = EntryDetails & { id: string; traceId: TraceId; at: string };
