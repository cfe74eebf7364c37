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
    what: "returns only the id of a created intent",
    open: answerOpen,
    isHarmless: true,
    apply: body(created, ({ id }) => ({ id })),
  },
  {
    what: "returns a created intent's id as user_intent_id",
    open: answerOpen,
    apply: body(created, ({ id }) => ({ user_intent_id: id })),
  },
  { what: "wraps a created intent in data", open: answerOpen, apply: body(created, ({ id }) => ({ data: { id } })) },
  {
    what: "wraps a created intent in user_intent",
    open: answerOpen,
    apply: body(created, (intent) => ({ user_intent: intent })),
  },
  {
    what: "returns an intent's creation time in seconds",
    open: answerOpen,
    apply: fields(created, { created_at: 1_790_000_000 }),
  },
  { what: "creates intents with its own status", open: wordsOpen, apply: fields(created, { status: "received" }) },
  { what: "returns a created intent without a status", open: wordsOpen, apply: fields(created, { status: undefined }) },
  { what: "returns a created intent with null metadata", open: answerOpen, apply: fields(created, { metadata: null }) },
  {
    what: "returns a created intent with extra fields",
    open: answerOpen,
    apply: fields(created, { links: { self: "/" }, version: 3 }),
  },
  {
    what: "returns 200 for a created intent",
    open: errorsOpen,
    isHarmless: true,
    apply: always(created, (answer) => ({ ...answer, status: 200 })),
  },
  {
    what: "returns 202 for a created intent",
    open: errorsOpen,
    apply: always(created, (answer) => ({ ...answer, status: 202 })),
  },
  {
    what: "returns only the URL of a created intent",
    open: answerOpen,
    apply: always(created, ({ body: intent }) => ({
      status: 201,
      headers: { location: `/v1/user_intent/${(intent as { id: string }).id}` },
    })),
  },
  { what: "loses the response with a created intent once", open: answerOpen, apply: once(created, () => "cut") },
  { what: "returns 500 for a created intent once", open: errorsOpen, apply: once(created, () => ({ status: 500 })) },
  {
    what: "returns 429 for a created intent once",
    open: "Rate limits: not shown.",
    apply: once(created, () => ({ status: 429 })),
  },
  { what: "returns an HTML page for a created intent once", open: answerOpen, apply: once(created, () => html) },
  {
    what: "takes four seconds to create an intent",
    open: "Rate limits: not shown.",
    apply: once(created, async (answer) => {
      await new Promise((resolve) => setTimeout(resolve, 4000));
      return answer;
    }),
  },
  { what: "reports decisions in its own words", open: wordsOpen, apply: fields(read, { status: "accepted" }) },
  { what: "fails every read of an intent", open: errorsOpen, apply: always(read, () => ({ status: 500 })) },
  { what: "has no call to read an intent", open: answerOpen, apply: always(read, () => ({ status: 404 })) },
  { what: "returns 405 for reading an intent", open: errorsOpen, apply: always(read, () => ({ status: 405 })) },
  {
    what: "returns an intent without its times",
    open: answerOpen,
    isHarmless: true,
    apply: fields(read, { updated_at: undefined, created_at: undefined }),
  },
  {
    what: "returns an intent's times in milliseconds",
    open: answerOpen,
    apply: fields(read, { updated_at: 1_790_000_000_000, created_at: 1_790_000_000_000 }),
  },
  {
    what: "returns an intent's times in its own formats",
    open: answerOpen,
    apply: fields(read, { updated_at: "yesterday", created_at: "31/01/2026" }),
  },
  {
    what: "returns an intent's reasons as null",
    open: reasonsOpen,
    isHarmless: true,
    apply: fields(read, { rejection_reasons: null }),
  },
  {
    what: "returns an intent's reasons as strings",
    open: reasonsOpen,
    apply: fields(read, { rejection_reasons: ["name_mismatch"] }),
  },
  { what: "returns only an intent's status", open: answerOpen, apply: body(read, ({ status }) => ({ status })) },
  { what: "returns an intent without its metadata", open: answerOpen, apply: fields(read, { metadata: undefined }) },
  {
    what: "returns an intent in an envelope",
    open: answerOpen,
    apply: body(read, (intent) => ({ user_intent: intent })),
  },
  {
    what: "fails once to read an intent",
    open: errorsOpen,
    apply: once(read, () => ({ status: 503, text: "try later" })),
  },
];
