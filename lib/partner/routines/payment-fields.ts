import * as z from "zod/mini";
import { words } from "#words";
import { limits } from "../../contract/limits.ts";
import { text } from "../../contract/text.ts";
import { answerField, outOfDate, textProblem } from "../requests/form-fields.ts";

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const say = () => words("pay.problems");
const tooMuch = () => say()("tooMuch", { amount: dollars.format(limits.routineAmountCentsMax / 100) });

// An id from the service: any text that PostgreSQL can store.
const choice = (error: () => string) =>
  z.string({ error }).check(
    z.minLength(1, { error }),
    z.refine((value) => !/\p{Cc}/u.test(value), { error }),
  );

/** The payment form's rules, the same in the browser and on our server. The parsed `amount` is in whole cents. */
export const paymentFields = z.object({
  idempotency_key: z.guid({ error: outOfDate }),
  source_id: choice(() => say()("chooseAccount")),
  seller_user_id: choice(() => say()("chooseSeller")),
  amount: z.pipe(
    z.string({ error: () => say()("noAmount") }),
    z.transform((typed: string, context) => {
      const read = readAmount(typed);
      if (typeof read === "number") return read;
      context.issues.push({ code: "custom", input: typed, message: read });
      return z.NEVER;
    }),
  ),
  name: answerField(text(limits.routineNameCharactersMax), {
    missing: () => say()("noPurpose"),
    wrong: textProblem(() => say()("purpose"), limits.routineNameCharactersMax),
  }),
});

/** The server action's input. `confirmed` is set by the review step, or by a checkbox without scripts. */
export const paymentForm = z.extend(paymentFields, {
  confirmed: z.literal("yes", { error: () => say()("notChecked") }),
});

export type PaymentInput = z.input<typeof paymentFields>;
export type Payment = z.output<typeof paymentFields>;

/** The same rules, and at most the account's available balance, if known. */
export function paymentFieldsWithin(accounts: readonly { id: string; availableCents: number | undefined }[]) {
  return paymentFields.check((context) => {
    const { source_id, amount } = context.value;
    const available = accounts.find(({ id }) => id === source_id)?.availableCents;
    if (available === undefined || amount <= available) return;
    const message = say()("onlyAvailable", { amount: dollars.format(available / 100) });
    context.issues.push({ code: "custom", input: amount, message, path: ["amount"] });
  });
}

/** The currency before and after an amount as people type it. */
export const currencyPrefix = /^(?:US ?)?\$\s*|^USD\s*/i;
export const currencySuffix = /\s*(?:USD|dollars?)$/i;

/** An amount as people type it (`1,250.00`, `$50`, `50.5`) in whole cents, or what is wrong with it. */
export function readAmount(typed: string): number | string {
  const t = say();
  const text = typed.trim().replace(currencyPrefix, "").replace(currencySuffix, "");
  if (text === "") return t("noAmount");
  if (/^[-\u2212(]/.test(text)) return t("noneAmount");
  const [, dollars, decimals = ""] = /^(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (dollars === undefined || dollars + decimals === "") return wrongAmount(text);
  if (decimals.length > 2) return t("cents");
  const digits = dollars.replaceAll(",", "").replace(/^0+/, "");
  // More digits exceed every limit, and what a number can hold.
  if (digits.length > 12) return tooMuch();
  const cents = Number(digits) * 100 + Number(decimals.padEnd(2, "0"));
  if (cents === 0) return t("noneAmount");
  return cents > limits.routineAmountCentsMax ? tooMuch() : cents;
}

function wrongAmount(text: string): string {
  return say()(/^[\d.]*\d,\d{1,2}$/.test(text) ? "period" : "amount");
}
