import * as z from "zod/mini";
import { words } from "#words";

/** For values that none of our pages send. */
export const outOfDate = () => words("problems")("outOfDate");

/** Our own messages for one field; the contract's are for developers. */
type AnswerMessages = {
  missing: () => string;
  wrong: (typed: string) => string;
  /** Turns what people type into what the rule expects. Without it, only surrounding spaces are removed. */
  normalize?: (typed: string) => string;
};

/** A one-line text field, checked by a rule of the contract. */
export function answerField<Rule extends z.ZodMiniType>(
  rule: Rule,
  { missing, wrong, normalize = (typed) => typed }: AnswerMessages,
) {
  return z.pipe(
    z.string({ error: missing }),
    z.transform((typed: string, context): z.output<Rule> => {
      const normalized = normalize(typed.trim());
      const checked = rule.safeParse(normalized);
      if (normalized !== "" && checked.success) return checked.data;
      context.issues.push({ code: "custom", input: typed, message: normalized === "" ? missing() : wrong(normalized) });
      return z.NEVER;
    }),
  );
}

/** Like `answerField`, for a field that can be left empty. */
export function optionalAnswerField(rule: z.ZodMiniType<string>, messages: Omit<AnswerMessages, "missing">) {
  return z.pipe(
    z.string({ error: outOfDate }),
    z.transform((typed: string, context) => {
      if (typed.trim() === "") return "";
      const given = answerField(rule, { ...messages, missing: () => "" }).safeParse(typed);
      if (given.success) return given.data;
      context.issues.push({ code: "custom", input: typed, message: given.error.issues[0]?.message ?? "" });
      return z.NEVER;
    }),
  );
}

/** Explains why the contract's `text` rule rejects a value; `what` begins the sentence, like "Your first name". */
export function textProblem(what: () => string, charactersMax: number): (typed: string) => string {
  return (typed) => {
    const t = words("person.problems");
    return [...typed].length > charactersMax
      ? t("long", { what: what(), max: String(charactersMax) })
      : t("characters", { what: what() });
  };
}

// Cookies hold it while a person signs in or authorizes. Longer than any payment form's address.
const pathCharactersMax = 1500;

/**
 * `path` if it stays on our own origin, else `fallback`. Browsers read `//host` and `/\host` as another site, and
 * resolve dots first, so `/.//host` is one too. A path that is too long loses its query.
 */
export function ownPath(path: string | null | undefined, fallback: string): string {
  if (!path?.startsWith("/")) return fallback;
  const base = "https://own.invalid";
  const address = URL.parse(path, base);
  if (address?.origin !== base || address.pathname.startsWith("//")) return fallback;
  const { pathname, search } = address;
  if (pathname.length > pathCharactersMax) return fallback;
  return pathname.length + search.length > pathCharactersMax ? pathname : pathname + search;
}

/** A page's own address, with the query it was opened with. */
export function withQuery(path: string, query: Record<string, string | string[] | undefined>): string {
  const texts = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return texts.length > 0 ? `${path}?${new URLSearchParams(texts)}` : path;
}

/** A form's `return_to` field: one of our own paths, or empty. */
export const returnToField = z.pipe(
  z._default(z.string(), ""),
  z.transform((path: string) => ownPath(path, "")),
);
