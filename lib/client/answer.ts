/** One field that was refused or not understood; `field` is its path, as in `metadata.order id`. */
export type FieldProblem = { field: string; message: string };

/** Answered with success, and the published part of the body was understood. `isReplay`: the service says that it answered this key before. */
export type Ok<Body> = { kind: "ok"; status: number; body: Body; isReplay: boolean };

/**
 * Answered with success, but something that is needed could not be read: it happened. `ids` are those that could be read,
 * by their names on the wire; `problems` name the fields that did not fit.
 */
export type Unreadable = {
  kind: "unreadable";
  status: number;
  ids: Partial<Record<"id" | "transfer_id", string>>;
  problems: FieldProblem[];
  requestId: string | undefined;
};

/**
 * Answered, and not with success. `reason` is what to branch on ("unknown" when none could be read), `description` is for
 * a developer and may be empty; `errors` name fields. A 5xx may come from something in between that knows less than the service.
 */
export type Refused = {
  kind: "refused";
  status: number;
  reason: string;
  description: string;
  errors: FieldProblem[];
  requestId: string | undefined;
};

/** Nothing came. `no_connection`: the request never left. `timeout` and `cut`: it may have arrived and taken effect. */
export type Unreachable = { kind: "unreachable"; cause: "no_connection" | "timeout" | "cut"; description: string };

/** What became of a call. Never an exception. */
export type Answer<Body> = Ok<Body> | Unreadable | Refused | Unreachable;

/** Every answer that cannot be worked with. */
export type Unsuccessful = Exclude<Answer<unknown>, { kind: "ok" }>;

/**
 * What an answer without success decides about the request. `definite`: the service refused it, and would again.
 * `temporary`: it took no effect and says nothing about what was asked: our own credential (401), how often we come (429),
 * or nobody to connect to. `unknown`: it may have taken effect. A redirect, a 408 or a 5xx may come from something in between that
 * knows less than the service, and 409 means that an earlier request is still worked on.
 */
export function decisionOf(answer: Refused | Unreachable): "definite" | "temporary" | "unknown" {
  if (answer.kind === "unreachable") return answer.cause === "no_connection" ? "temporary" : "unknown";
  const { status } = answer;
  if (status === 401 || status === 429) return "temporary";
  return status >= 400 && status < 500 && status !== 408 && status !== 409 ? "definite" : "unknown";
}

/** Whether the request that was refused took no effect for certain. */
export function isAnswer(refused: Refused): boolean {
  return decisionOf(refused) !== "unknown";
}
