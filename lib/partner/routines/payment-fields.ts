import * as z from "zod/mini";
import { limits } from "../../contract/limits.ts";
import { text, uuid } from "../../contract/text.ts";

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const tooMuch = `The most that one payment can be is ${dollars.format(limits.routineAmountCentsMax / 100)}.`;

// What is chosen is an identifier, any text that PostgreSQL can hold.
const choice = (message: string) =>
  z.string(message).check(
    z.minLength(1, message),
    z.refine((value) => !/\p{Cc}/u.test(value), message),
  );

/**
 * What an operator fills in to pay a seller, by the same rules in the browser and on our server. The destination is not
 * asked for: it is the seller's account as Harbor knows it. `amount` comes out in whole cents.
 */
export const paymentFields = z.object({
  idempotency_key: uuid,
  source_id: choice("Choose an account."),
  seller_user_id: choice("Choose a seller."),
  amount: z.pipe(
    z.string("Enter an amount."),
    z.transform((typed: string, context) => {
      const cents = centsOfTyped(typed);
      if (cents && cents <= limits.routineAmountCentsMax) return cents;
      const message = cents ? tooMuch : "Enter an amount in dollars, like 120.50.";
      context.issues.push({ code: "custom", input: typed, message });
      return z.NEVER;
    }),
  ),
  name: text(limits.routineNameCharactersMax),
});

/** A payment as typed, and as understood. */
export type PaymentInput = z.input<typeof paymentFields>;
export type Payment = z.output<typeof paymentFields>;

/** The same, and no more than the account has available, where that is known; the service judges it in any case. */
export function paymentFieldsWithin(accounts: readonly { id: string; availableCents: number | undefined }[]) {
  return paymentFields.check((context) => {
    const { source_id, amount } = context.value;
    const available = accounts.find(({ id }) => id === source_id)?.availableCents;
    if (available === undefined || amount <= available) return;
    const message = `This account has ${dollars.format(available / 100)} available.`;
    context.issues.push({ code: "custom", input: amount, message, path: ["amount"] });
  });
}

/** Whole cents of a typed amount, thousands separators allowed; undefined when it is none or zero. By its text, not by multiplying. */
export function centsOfTyped(typed: string): number | undefined {
  const match = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d{1,2}))?$/.exec(typed.trim());
  if (!match) return undefined;
  const [, dollars = "", decimals = ""] = match;
  const cents = Number(dollars.replaceAll(",", "")) * 100 + Number(decimals.padEnd(2, "0"));
  return cents > 0 ? cents : undefined;
}
