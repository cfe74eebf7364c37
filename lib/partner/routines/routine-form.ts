import * as z from "zod/mini";
import { limits } from "../../contract/limits.ts";
import { text, uuid } from "../../contract/text.ts";

// The destination is not asked for: it is the seller's account as Harbor knows it.
const routineForm = z.object({
  idempotencyKey: uuid,
  sourceId: z.string("Choose an account.").check(z.minLength(1, "Choose an account.")),
  sellerUserId: z.string("Choose a seller.").check(z.minLength(1, "Choose a seller.")),
  amount: z.pipe(
    z.string("Enter an amount."),
    z.transform((typed: string, context) => {
      const cents = centsOfTyped(typed);
      if (cents) return cents;
      context.issues.push({ code: "custom", input: typed, message: "Enter an amount in dollars, like 120.50." });
      return z.NEVER;
    }),
  ),
  name: text(limits.routineNameCharactersMax),
});
export type RoutineForm = z.output<typeof routineForm>;

/** The fields that a problem can stand beside. */
export type RoutineField = "sourceId" | "sellerUserId" | "amount" | "name";

/** What stands in the way: beside a field, or above the form. `mustReconnect`: the business has to authorize again first. */
export type RoutineProblem = {
  kind: "problem";
  fields: Partial<Record<RoutineField, string>>;
  form?: string;
  mustReconnect?: true;
};

/** What was filled in, by the same rules in the browser and on our server; the first problem of each field counts. */
export function parseRoutineForm(form: FormData): { kind: "ok"; values: RoutineForm } | RoutineProblem {
  const parsed = routineForm.safeParse(Object.fromEntries(form));
  if (parsed.success) return { kind: "ok", values: parsed.data };
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
