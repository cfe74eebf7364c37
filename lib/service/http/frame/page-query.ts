import * as z from "zod/mini";
import { uuid } from "../../../contract/text.ts";

/** The query fields of a list that is read page by page: `limit` and `starting_after`. */
export function pageQuery({ limit, limitMax }: { limit: number; limitMax: number }) {
  const wholeNumber = z.pipe(z.string().check(z.regex(/^\d{1,4}$/, "Must be a whole number.")), z.transform(Number));
  const withinLimits = z.number().check(z.minimum(1, "Is at least 1."), z.maximum(limitMax, `Is at most ${limitMax}.`));
  return { limit: z._default(z.pipe(wholeNumber, withinLimits), limit), starting_after: z.optional(uuid) };
}
