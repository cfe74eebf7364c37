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
  switches.keys.isKeyHonoured = false;
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
    what: "answers a created routine with id and transfer_id only",
    open: answerOpen,
    isHarmless: true,
    apply: body(created, ({ id, transfer_id }) => ({ id, transfer_id })),
  },
  {
    what: "answers a created routine with 200",
    open: errorsOpen,
    isHarmless: true,
    apply: always(created, (answer) => ({ ...answer, status: 200 })),
  },
  {
    what: "answers a created routine with 202",
    open: errorsOpen,
    apply: always(created, (answer) => ({ ...answer, status: 202 })),
  },
  {
    what: "answers a created routine with its transfer inside",
    open: answerOpen,
    apply: body(created, ({ id, transfer_id }) => ({ id, transfer: { id: transfer_id } })),
  },
  { what: "wraps a created routine in data", open: answerOpen, apply: body(created, (record) => ({ data: record })) },
  {
    what: "answers a created routine with amounts as texts and times as numbers",
    open: recordsOpen,
    apply: fields(created, { amount: "125.50", created_at: 1_790_000_000, updated_at: 1_790_000_000 }),
  },
  {
    what: "creates routines with a status of its own",
    open: wordsOpen,
    apply: fields(created, { status: "accepted" }),
  },
  {
    what: "answers a created routine in an unknown shape",
    open: answerOpen,
    apply: body(created, () => ({ result: "done" })),
  },
  { what: "answers a created routine with its id alone", open: answerOpen, apply: body(created, ({ id }) => ({ id })) },
  { what: "answers a created routine with nothing", open: answerOpen, apply: always(created, () => ({ status: 201 })) },
  { what: "answers a created routine with a page of HTML", open: answerOpen, apply: always(created, () => html) },
  {
    what: "has ids of routines and transfers that are no UUIDs",
    open: recordsOpen,
    apply: ({ switches }) => {
      switches.keys.newId = () => `rt_${newNumber()}`;
    },
  },
  { what: "loses the answer to a created routine once", open: answerOpen, apply: once(created, () => "cut") },
  {
    what: "answers a created routine with 500 once",
    open: errorsOpen,
    apply: once(created, () => ({ status: 500, text: "oops" })),
  },
  { what: "answers a created routine with 409 once", open: errorsOpen, apply: once(created, () => ({ status: 409 })) },
  {
    what: "answers a created routine with a redirect once",
    open: errorsOpen,
    apply: once(created, () => ({ status: 307, headers: { location: "/elsewhere" } })),
  },
  { what: "answers a created routine with a page of HTML once", open: answerOpen, apply: once(created, () => html) },
  {
    what: "loses an answer and lists no routines",
    open: answerOpen,
    apply: together(
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "answers a created routine in an unknown shape and lists nothing",
    open: answerOpen,
    apply: together(
      body(created, () => ({ result: "done" })),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "answers a created routine with its id alone and lists nothing",
    open: answerOpen,
    apply: together(
      body(created, ({ id }) => ({ id })),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "loses an answer, lists nothing and has no way to void a key",
    open: headerOpen,
    apply: together(
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
      always(voidKey, () => ({ status: 404 })),
    ),
  },
  {
    what: "loses a request to pay, refuses it from then on and voids its key",
    open: headerOpen,
    stops: "is shown as refused",
    apply: lost,
  },
  {
    what: "loses a request to pay, refuses it from then on and has no way to void its key",
    open: headerOpen,
    stops: "is shown as unanswered",
    apply: together(
      lost,
      always(voidKey, () => ({ status: 405 })),
    ),
  },
  { what: "honours no idempotency key", open: headerOpen, settings: replaysUnknown, apply: noKeys },
  {
    what: "honours no idempotency key and loses an answer",
    open: headerOpen,
    settings: replaysUnknown,
    apply: together(
      noKeys,
      once(created, () => "cut"),
    ),
  },
  {
    what: "honours no idempotency key, loses an answer and lists nothing",
    open: headerOpen,
    settings: replaysUnknown,
    apply: together(
      noKeys,
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "calls the header otherwise, as is set, and loses an answer",
    open: headerOpen,
    settings: () => ({ PARTNER_IDEMPOTENCY_HEADER: "X-Request-Key" }),
    apply: together(
      otherHeader,
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "expects another idempotency header, without the setting for it, and loses an answer",
    open: headerOpen,
    settings: replaysUnknown,
    apply: together(
      otherHeader,
      once(created, () => "cut"),
      always(list, () => ({ status: 404 })),
    ),
  },
  {
    what: "calls what is under way settling",
    open: wordsOpen,
    apply: words({ active: "settling", pending: "in_flight" }),
  },
  { what: "calls what has ended settled", open: wordsOpen, apply: words({ completed: "settled", processed: "done" }) },
  {
    what: "writes statuses in capitals",
    open: wordsOpen,
    apply: words({ active: "ACTIVE", pending: "PENDING", completed: "COMPLETED", processed: "PROCESSED" }),
  },
  {
    what: "reads routines without a status",
    open: routineOpen,
    apply: fields(routine, { status: undefined, active: undefined }),
  },
  {
    what: "calls the status of routines and transfers state",
    open: recordsOpen,
    apply: together(
      body(routine, ({ status, ...record }) => ({ ...record, state: status })),
      body(transfer, ({ status, ...record }) => ({ ...record, state: status })),
    ),
  },
  { what: "reads transfers without a status", open: transferOpen, apply: fields(transfer, { status: undefined }) },
  {
    what: "reads routines and transfers without times",
    open: recordsOpen,
    isHarmless: true,
    apply: together(
      fields(routine, { created_at: undefined, updated_at: undefined }),
      fields(transfer, { created_at: undefined, updated_at: undefined }),
    ),
  },
  { what: "reads a routine without its id", open: routineOpen, apply: fields(routine, { id: undefined }) },
  {
    what: "reads a transfer as its status alone",
    open: transferOpen,
    apply: body(transfer, ({ status }) => ({ status })),
  },
  {
    what: "reads a transfer with amounts as texts and a reason that is null",
    open: transferOpen,
    isHarmless: true,
    apply: fields(transfer, { amount: "125.50", failure_reason: null }),
  },
  { what: "has no way to read a routine", open: routineOpen, apply: always(routine, () => ({ status: 404 })) },
  { what: "has no way to read a transfer", open: transferOpen, apply: always(transfer, () => ({ status: 404 })) },
  {
    what: "does not know a new routine for the first request",
    open: routineOpen,
    apply: once(routine, () => ({ status: 404 })),
  },
  { what: "fails to read a transfer once", open: transferOpen, apply: once(transfer, () => ({ status: 502 })) },
  {
    what: "has further fields in every record of money",
    open: recordsOpen,
    isHarmless: true,
    apply: together(
      fields(created, { fee: 0 }),
      fields(routine, { fee: 0 }),
      fields(transfer, { fee: 0, network: "book" }),
    ),
  },
  {
    what: "says 429 once before it takes a payment",
    open: "Rate limits: not shown.",
    apply: ({ payments }) => payments.next(() => ({ status: 429 })),
  },
];
