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

// The destination is not asked for: it is the seller's account as Harbor knows it.
const routineForm = z.object({
  idempotencyKey: uuid,
  sourceId: choice("Choose an account."),
  sellerUserId: choice("Choose a seller."),
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
export type RoutineForm = z.output<typeof routineForm>;

/** The fields that a problem can stand beside. */
export type RoutineField = "sourceId" | "sellerUserId" | "amount" | "name";

/**
 * What stands in the way: beside a field, or above the form. `mustReconnect`: the business has to authorize again first.
 * `routineId`: the payment that was made of it before.
 */
export type RoutineProblem = {
  kind: "problem";
  fields: Partial<Record<RoutineField, string>>;
  form?: string;
  mustReconnect?: true;
  routineId?: string;
};

/**
 * What was filled in, by the same rules in the browser and on our server; the first problem of each field counts.
 * @param accounts what each account has available, where that is known; the service judges it in any case
 */
export function parseRoutineForm(
  form: FormData,
  accounts: readonly { id: string; availableCents: number | undefined }[] = [],
): { kind: "ok"; values: RoutineForm } | RoutineProblem {
  const parsed = routineForm.safeParse(Object.fromEntries(form));
  if (parsed.success) {
    const available = accounts.find(({ id }) => id === parsed.data.sourceId)?.availableCents;
    if (available === undefined || parsed.data.amount <= available) return { kind: "ok", values: parsed.data };
    const message = `This account has ${dollars.format(available / 100)} available.`;
    return { kind: "problem", fields: { amount: message } };
  }
  const problems = parsed.error.issues.map(({ path, message }) => [path[0], message] as const);
  return { kind: "problem", fields: Object.fromEntries(problems.toReversed()) };
}

/** Whole cents of a typed amount, thousands separators allowed; undefined when it is none or zero. By its text, not by multiplying. */
export function centsOfTyped(typed: string): number | undefined {
  const match = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d{1,2}))?$/.exec(typed.trim());
  if (!match) return undefined;
  const [, dollars = "", decimals = ""] = match;
  const cents = Number(dollars.replaceAll(",", "")) * 100 + Number(decimals.padEnd(2, "0"));
  return cents > 0 ? cents : undefined;
}
