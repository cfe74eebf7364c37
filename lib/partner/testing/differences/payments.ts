import { always, body, type Difference, fields, html, once, together } from "./difference.ts";

const created = "POST /v1/routines/book";
const routine = "GET /v1/routines/{id}";
const transfer = "GET /v1/transfers/{id}";
const list = "GET /v1/routines";
const voidKey = "POST /v1/routines/book/void";
const answerOpen = "Response body: not shown.";
const routineOpen = "Fetches a routine by its Book Routine ID. Response body: not shown.";
const transferOpen = "Fetches a transfer by its Book Transfer ID. Response body: not shown.";
const recordsOpen = "Other fields of the routine, transfer and payment instrument records: not shown.";
const wordsOpen =
  "Status values of a user intent other than approved and rejected, and all status values of routines and transfers: not shown.";
const errorsOpen = "Error body format, error codes and HTTP status codes: not shown.";
const headerOpen =
  "an idempotency key header whose value must be in UUID format (optional; exact header name: not shown).";

const noKeys: Difference["apply"] = ({ switches }) => {
  switches.keys.isKeyHonored = false;
};
const lost: Difference["apply"] = ({ payments }) => {
  payments.next(() => "cut");
  payments.always(() => ({ status: 422 }));
};
const otherHeader: Difference["apply"] = ({ switches }) => {
  switches.keys.header = "x-request-key";
};
const replaysUnknown = () => ({ PARTNER_SERVICE_FEATURES: "state,pkce,revocation" });
const words = (replaced: Record<string, string>) => {
  const change = body(routine, (record) => ({
    ...record,
    status: replaced[String(record["status"])] ?? record["status"],
  }));
  const changeTransfer = body(transfer, (record) => ({
    ...record,
    status: replaced[String(record["status"])] ?? record["status"],
  }));
  return together(change, changeTransfer);
};
const newNumber = () => String(Math.floor(Math.random() * 1e12));

export const paymentDifferences: Difference[] = [
  {
    what: "returns only id and transfer_id for a created routine",
    open: answerOpen,
    isHarmless: true,
    apply: body(created, ({ id, transfer_id }) => ({ id, transfer_id })),
  },
  {
    what: "returns 200 for a created routine",
    open: errorsOpen,
    isHarmless: true,
    apply: always(created, (answer) => ({ ...answer, status: 200 })),
  },
  {
    what: "returns 202 for a created routine",
    open: errorsOpen,
    apply: always(created, (answer) => ({ ...answer, status: 202 })),
  },
  {
    what: "returns a created routine with its transfer nested",
    open: answerOpen,
    apply: body(created, ({ id, transfer_id }) => ({ id, transfer: { id: transfer_id } })),
  },
  { what: "wraps a created routine in data", open: answerOpen, apply: body(created, (record) => ({ data: record })) },
  {
    what: "returns a created routine with string amounts and numeric times",
    open: recordsOpen,
    apply: fields(created, { amount: "125.50", created_at: 1_790_000_000, updated_at: 1_790_000_000 }),
  },
  {
    what: "creates routines with its own status",
    open: wordsOpen,
    apply: fields(created, { status: "accepted" }),
  },
  {
    what: "returns a created routine in an unknown shape",
    open: answerOpen,
    apply: body(created, () => ({ result: "done" })),
  },
  { what: "returns only the id of a created routine", open: answerOpen, apply: body(created, ({ id }) => ({ id })) },
  {
    what: "returns an empty body for a created routine",
    open: answerOpen,
    apply: always(created, () => ({ status: 201 })),
  },
  { what: "returns an HTML page for a created routine", open: answerOpen, apply: always(created, () => html) },
  {
    what: "uses routine and transfer ids that aren't UUIDs",
    open: recordsOpen,
    apply: ({ switches }) => {
      switches.keys.newId = () => `rt_${newNumber()}`;
    },
  },
  { what: "loses the response with a created routine once", open: answerOpen, apply: once(created, () => "cut") },
  {
    what: "returns 500 for a created routine once",
    open: errorsOpen,
    apply: once(created, () => ({ status: 500, text: "oops" })),
  },
  { what: "returns 409 for a created routine once", open: errorsOpen, apply: once(created, () => ({ status: 409 })) },
  {
    what: "returns a redirect for a created routine once",
    open: errorsOpen,
    apply: once(created, () => ({ status: 307, headers: { location: "/elsewhere" } })),
  },
  { what: "returns an HTML page for a created routine once", open: answerOpen, apply: once(created, () => html) },
  {
    what: "loses a response and has no routine list",
    open: answerOpen,
    apply: together(
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "returns a created routine in an unknown shape and has no routine list",
    open: answerOpen,
    apply: together(
      body(created, () => ({ result: "done" })),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "returns only the id of a created routine and has no routine list",
    open: answerOpen,
    apply: together(
      body(created, ({ id }) => ({ id })),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "loses a response, has no routine list and can't void a key",
    open: headerOpen,
    apply: together(
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
      always(voidKey, () => ({ status: 404 })),
    ),
  },
  {
    what: "loses a payment request, refuses its retries and voids its key",
    open: headerOpen,
    stops: "is shown as refused",
    apply: lost,
  },
  {
    what: "loses a payment request, refuses its retries and can't void its key",
    open: headerOpen,
    stops: "is shown as unanswered",
    apply: together(
      lost,
      always(voidKey, () => ({ status: 405 })),
    ),
  },
  { what: "ignores idempotency keys", open: headerOpen, settings: replaysUnknown, apply: noKeys },
  {
    what: "ignores idempotency keys and loses a response",
    open: headerOpen,
    settings: replaysUnknown,
    apply: together(
      noKeys,
      once(created, () => "cut"),
    ),
  },
  {
    what: "ignores idempotency keys, loses a response and has no routine list",
    open: headerOpen,
    settings: replaysUnknown,
    apply: together(
      noKeys,
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "uses another idempotency header, as configured, and loses a response",
    open: headerOpen,
    settings: () => ({ PARTNER_IDEMPOTENCY_HEADER: "X-Request-Key" }),
    apply: together(
      otherHeader,
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "uses another idempotency header, not configured, and loses a response",
    open: headerOpen,
    settings: replaysUnknown,
    apply: together(
      otherHeader,
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "reports open payments as settling",
    open: wordsOpen,
    apply: words({ active: "settling", pending: "in_flight" }),
  },
  {
    what: "reports completed payments as settled",
    open: wordsOpen,
    apply: words({ completed: "settled", processed: "done" }),
  },
  {
    what: "returns statuses in uppercase",
    open: wordsOpen,
    apply: words({ active: "ACTIVE", pending: "PENDING", completed: "COMPLETED", processed: "PROCESSED" }),
  },
  {
    what: "returns routines without a status",
    open: routineOpen,
    apply: fields(routine, { status: undefined, active: undefined }),
  },
  {
    what: "returns the status of routines and transfers as state",
    open: recordsOpen,
    apply: together(
      body(routine, ({ status, ...record }) => ({ ...record, state: status })),
      body(transfer, ({ status, ...record }) => ({ ...record, state: status })),
    ),
  },
  { what: "returns transfers without a status", open: transferOpen, apply: fields(transfer, { status: undefined }) },
  {
    what: "returns routines and transfers without times",
    open: recordsOpen,
    isHarmless: true,
    apply: together(
      fields(routine, { created_at: undefined, updated_at: undefined }),
      fields(transfer, { created_at: undefined, updated_at: undefined }),
    ),
  },
  { what: "returns a routine without its id", open: routineOpen, apply: fields(routine, { id: undefined }) },
  {
    what: "returns only a transfer's status",
    open: transferOpen,
    apply: body(transfer, ({ status }) => ({ status })),
  },
  {
    what: "returns a transfer with string amounts and a null reason",
    open: transferOpen,
    isHarmless: true,
    apply: fields(transfer, { amount: "125.50", failure_reason: null }),
  },
  { what: "has no call to read a routine", open: routineOpen, apply: always(routine, () => ({ status: 404 })) },
  { what: "has no call to read a transfer", open: transferOpen, apply: always(transfer, () => ({ status: 404 })) },
  {
    what: "returns 404 to the first read of a new routine",
    open: routineOpen,
    apply: once(routine, () => ({ status: 404 })),
  },
  { what: "fails once to read a transfer", open: transferOpen, apply: once(transfer, () => ({ status: 502 })) },
  {
    what: "adds extra fields to routines and transfers",
    open: recordsOpen,
    isHarmless: true,
    apply: together(
      fields(created, { fee: 0 }),
      fields(routine, { fee: 0 }),
      fields(transfer, { fee: 0, network: "book" }),
    ),
  },
  {
    what: "returns 429 once before it accepts a payment",
    open: "Rate limits: not shown.",
    apply: ({ payments }) => payments.next(() => ({ status: 429 })),
  },
];
