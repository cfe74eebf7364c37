import { createHmac, timingSafeEqual } from "node:crypto";
import type { ProviderModule, ScreeningAnswer, SendOutcome, SettlementAnswer } from "../lib/contract/providers.ts";

// Providers over plain HTTP, to copy and change: PROVIDERS=./providers.ts (docs/operations.md#providers). The addresses are
// made up; each function shows what a real one must do with ids, answers and errors.

const { CARRIER_URL = "https://carrier.example", CARRIER_KEY = "" } = process.env;
const { SCREENING_URL = "https://screening.example", SCREENING_KEY = "", SCREENING_SECRET = "" } = process.env;
// Without an address, transfers settle on their own when due.
const { SETTLEMENT_URL = "", SETTLEMENT_KEY = "", SETTLEMENT_SECRET = "" } = process.env;

export default {
  sendText: ({ id, to, text }, { signal }) => send("/texts", { id, body: { to, text }, signal }),
  sendEmail: ({ id, to, subject, text }, { signal }) => send("/emails", { id, body: { to, subject, text }, signal }),
  screening: {
    ask: async ({ id, kind, person, ...question }, { signal }) => {
      const photo = "photo" in question ? Buffer.from(question.photo).toString("base64") : undefined;
      const body = { reference: id, check: kind, person, photo };
      return answerOf(await requireOk(await post(`${SCREENING_URL}/checks`, SCREENING_KEY, { id, body, signal })));
    },
    poll: async ({ reference }, { signal }) => {
      const headers = { authorization: `Bearer ${SCREENING_KEY}` };
      return answerOf(await requireOk(await fetch(`${SCREENING_URL}/checks/${reference}`, { headers, signal })));
    },
    readCallback: async ({ headers, body }) => {
      if (!isSigned(headers.get("x-signature"), body, SCREENING_SECRET)) return undefined;
      const check = JSON.parse(new TextDecoder().decode(body));
      return [{ id: check.reference, answer: answerOf(check) }];
    },
  },
  ...(SETTLEMENT_URL !== "" && {
    settlement: {
      order: async ({ id, amountCents, source, destination }, { signal }) => {
        const body = { reference: id, amount: amountCents, from: source.id, to: destination.id };
        const url = `${SETTLEMENT_URL}/payments`;
        return settlementOf(await requireOk(await post(url, SETTLEMENT_KEY, { id, body, signal })));
      },
      poll: async ({ reference }, { signal }) => {
        const headers = { authorization: `Bearer ${SETTLEMENT_KEY}` };
        return settlementOf(
          await requireOk(await fetch(`${SETTLEMENT_URL}/payments/${reference}`, { headers, signal })),
        );
      },
      readCallback: async ({ headers, body }) => {
        if (!isSigned(headers.get("x-signature"), body, SETTLEMENT_SECRET)) return undefined;
        const payment = JSON.parse(new TextDecoder().decode(body));
        return [{ id: payment.reference, answer: settlementOf(payment) }];
      },
    } satisfies ProviderModule["settlement"],
  }),
} satisfies ProviderModule;

type Payment = { id: string; state: string; reason?: string };

// An unknown state isn't a failure: it throws, and the apps ask about the payment again.
function settlementOf({ id, state, reason }: Payment): SettlementAnswer {
  const published = reason === "R02" ? "account_closed" : "unspecified";
  switch (state) {
    case "processing":
      return { kind: "pending", reference: id };
    case "completed":
      // Returns take up to five days here.
      return { kind: "settled", returns: { reference: id, days: 5 } };
    case "failed":
    case "returned":
      return { kind: state, reason: published };
    default:
      throw new Error("a payment is in an unknown state");
  }
}

type Check = { id: string; outcome: string; reason?: string };

// Only outcomes that you know decide about a person; anything else goes to an operator.
function answerOf({ id, outcome, reason = "unverified" }: Check): ScreeningAnswer {
  switch (outcome) {
    case "clear":
      return { kind: "approved" };
    case "declined":
      return { kind: "rejected", reasons: [{ code: reason, message: "We couldn't verify your identity." }] };
    case "mismatch":
      return { kind: "retry" };
    case "photo_needed":
      return { kind: "document" };
    case "in_review":
      return { kind: "pending", reference: id };
    default:
      return { kind: "undecided" };
  }
}

function isSigned(signature: string | null, body: Uint8Array, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(body).digest();
  const given = Buffer.from(signature ?? "", "hex");
  return secret !== "" && given.length === expected.length && timingSafeEqual(given, expected);
}

async function send(path: string, call: { id: string; body: object; signal: AbortSignal }): Promise<SendOutcome> {
  const answer = await post(`${CARRIER_URL}${path}`, CARRIER_KEY, call);
  // This carrier answers 422 for a number or address that can't be reached.
  if (answer.status === 422) return { kind: "refused", reason: "unreachable" };
  const { id: reference } = await requireOk(answer);
  return { kind: "sent", reference };
}

function post(url: string, key: string, { id, body, signal }: { id: string; body: object; signal: AbortSignal }) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": id };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal });
}

// Any other answer throws, and the apps try again.
async function requireOk(answer: Response) {
  if (!answer.ok) throw new Error(`the provider answered ${answer.status}`);
  return answer.json();
}
