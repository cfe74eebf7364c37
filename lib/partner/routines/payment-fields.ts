import * as z from "zod/mini";
import { limits } from "../../contract/limits.ts";
import { text } from "../../contract/text.ts";
import { answerField, textProblem } from "../requests/form-fields.ts";

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const tooMuch = `One payment can be at most ${dollars.format(limits.routineAmountCentsMax / 100)}.`;

// An identifier of the service: any text that PostgreSQL can hold.
const choice = (message: string) =>
  z.string(message).check(
    z.minLength(1, message),
    z.refine((value) => !/\p{Cc}/u.test(value), message),
  );

/** The payment form's rules, the same in the browser and on our server. `amount` comes out in whole cents. */
export const paymentFields = z.object({
  idempotency_key: z.guid("This page is out of date. Please reload it."),
  source_id: choice("Choose an account."),
  seller_user_id: choice("Choose a seller."),
  amount: z.pipe(
    z.string("Enter an amount."),
    z.transform((typed: string, context) => {
      const read = readAmount(typed);
      if (typeof read === "number") return read;
      context.issues.push({ code: "custom", input: typed, message: read });
      return z.NEVER;
    }),
  ),
  name: answerField(text(limits.routineNameCharactersMax), {
    missing: "Say what this payment is for.",
    wrong: textProblem("What the payment is for", limits.routineNameCharactersMax),
  }),
});

/** What the form's action takes. `confirmed` is set by the review, or by a checkbox without scripts. */
export const paymentForm = z.extend(paymentFields, {
  confirmed: z.literal("yes", "Check the box once you have checked the payment."),
});

export type PaymentInput = z.input<typeof paymentFields>;
export type Payment = z.output<typeof paymentFields>;

/** The same rules, and no more than the account has available, where that is known. */
export function paymentFieldsWithin(accounts: readonly { id: string; availableCents: number | undefined }[]) {
  return paymentFields.check((context) => {
    const { source_id, amount } = context.value;
    const available = accounts.find(({ id }) => id === source_id)?.availableCents;
    if (available === undefined || amount <= available) return;
    const message = `This account has ${dollars.format(available / 100)} available.`;
    context.issues.push({ code: "custom", input: amount, message, path: ["amount"] });
  });
}

/** Whole cents of an amount as people type it (`1,250.00`, `$50`, `50.5`), or what is wrong with it. */
export function readAmount(typed: string): number | string {
  const text = typed
    .trim()
    .replace(/^(?:US ?)?\$\s*|^USD\s*/i, "")
    .replace(/\s*(?:USD|dollars?)$/i, "");
  if (text === "") return "Enter an amount.";
  if (/^[-\u2212(]/.test(text)) return "Enter an amount above zero.";
  const [, dollars, decimals = ""] = /^(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (dollars === undefined || dollars + decimals === "") return wrongAmount(text);
  if (decimals.length > 2) return "Enter cents with two digits, like 120.50.";
  const digits = dollars.replaceAll(",", "").replace(/^0+/, "");
  // Longer ones exceed any limit, and what a number can hold.
  if (digits.length > 12) return tooMuch;
  const cents = Number(digits) * 100 + Number(decimals.padEnd(2, "0"));
  if (cents === 0) return "Enter an amount above zero.";
  return cents > limits.routineAmountCentsMax ? tooMuch : cents;
}

function wrongAmount(text: string): string {
  return /^[\d.]*\d,\d{1,2}$/.test(text)
    ? "Use a period before the cents, like 120.50."
    : "Enter an amount in dollars and cents, like 120.50.";
}
