import { always, body, type Difference, fields, html, once } from "./difference.ts";

const created = "POST /v1/user_intent";
const read = "GET /v1/user_intent/{id}";
const answerOpen = "Response body: not shown.";
const wordsOpen =
  "Status values of a user intent other than approved and rejected, and all status values of routines and transfers: not shown.";
const reasonsOpen =
  "Allowed values of kyc_type, status and user_type beyond the observed ones, and the element shape of rejection_reasons: not shown.";
const errorsOpen = "Error body format, error codes and HTTP status codes: not shown.";

export const onboardingDifferences: Difference[] = [
  {
    what: "answers a created intent as its id alone",
    open: answerOpen,
    isHarmless: true,
    apply: body(created, ({ id }) => ({ id })),
  },
  {
    what: "calls the id of a created intent user_intent_id",
    open: answerOpen,
    apply: body(created, ({ id }) => ({ user_intent_id: id })),
  },
  { what: "wraps a created intent in data", open: answerOpen, apply: body(created, ({ id }) => ({ data: { id } })) },
  {
    what: "wraps a created intent in its own name",
    open: answerOpen,
    apply: body(created, (intent) => ({ user_intent: intent })),
  },
  {
    what: "writes the creation of an intent as seconds",
    open: answerOpen,
    apply: fields(created, { created_at: 1_790_000_000 }),
  },
  { what: "creates intents with a status of its own", open: wordsOpen, apply: fields(created, { status: "received" }) },
  { what: "answers a created intent without a status", open: wordsOpen, apply: fields(created, { status: undefined }) },
  { what: "answers a created intent with null metadata", open: answerOpen, apply: fields(created, { metadata: null }) },
  {
    what: "answers a created intent with further fields",
    open: answerOpen,
    apply: fields(created, { links: { self: "/" }, version: 3 }),
  },
  {
    what: "answers a created intent with 200",
    open: errorsOpen,
    isHarmless: true,
    apply: always(created, (answer) => ({ ...answer, status: 200 })),
  },
  {
    what: "answers a created intent with 202",
    open: errorsOpen,
    apply: always(created, (answer) => ({ ...answer, status: 202 })),
  },
  {
    what: "answers a created intent with nothing but its address",
    open: answerOpen,
    apply: always(created, ({ body: intent }) => ({
      status: 201,
      headers: { location: `/v1/user_intent/${(intent as { id: string }).id}` },
    })),
  },
  { what: "loses the answer to a created intent once", open: answerOpen, apply: once(created, () => "cut") },
  { what: "answers a created intent with 500 once", open: errorsOpen, apply: once(created, () => ({ status: 500 })) },
  {
    what: "answers a created intent with 429 once",
    open: "Rate limits: not shown.",
    apply: once(created, () => ({ status: 429 })),
  },
  { what: "answers a created intent with a page of HTML once", open: answerOpen, apply: once(created, () => html) },
  {
    what: "answers a created intent after four seconds",
    open: "Rate limits: not shown.",
    apply: once(created, async (answer) => {
      await new Promise((resolve) => setTimeout(resolve, 4000));
      return answer;
    }),
  },
  { what: "decides intents in words of its own", open: wordsOpen, apply: fields(read, { status: "accepted" }) },
  { what: "fails to read any intent", open: errorsOpen, apply: always(read, () => ({ status: 500 })) },
  { what: "has no way to read an intent", open: answerOpen, apply: always(read, () => ({ status: 404 })) },
  { what: "knows no method to read an intent", open: errorsOpen, apply: always(read, () => ({ status: 405 })) },
  {
    what: "reads an intent without its time",
    open: answerOpen,
    isHarmless: true,
    apply: fields(read, { updated_at: undefined, created_at: undefined }),
  },
  {
    what: "reads the times of an intent as milliseconds",
    open: answerOpen,
    apply: fields(read, { updated_at: 1_790_000_000_000, created_at: 1_790_000_000_000 }),
  },
  {
    what: "reads the times of an intent as texts of its own",
    open: answerOpen,
    apply: fields(read, { updated_at: "yesterday", created_at: "31/01/2026" }),
  },
  {
    what: "reads the reasons of an intent as null",
    open: reasonsOpen,
    isHarmless: true,
    apply: fields(read, { rejection_reasons: null }),
  },
  {
    what: "reads the reasons of an intent as texts",
    open: reasonsOpen,
    apply: fields(read, { rejection_reasons: ["name_mismatch"] }),
  },
  { what: "reads an intent as its status alone", open: answerOpen, apply: body(read, ({ status }) => ({ status })) },
  { what: "reads an intent without its metadata", open: answerOpen, apply: fields(read, { metadata: undefined }) },
  {
    what: "reads an intent in another envelope",
    open: answerOpen,
    apply: body(read, (intent) => ({ user_intent: intent })),
  },
  {
    what: "fails to read an intent once",
    open: errorsOpen,
    apply: once(read, () => ({ status: 503, text: "try later" })),
  },
];
