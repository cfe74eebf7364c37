import * as z from "zod/mini";

/** What a person reads about an answer, in words of our own: the contract's sentences are written for developers. */
export type AnswerMessages = {
  /** Nothing was filled in. */
  missing: string;
  /** The contract's rule does not take what was filled in. */
  wrong: (typed: string) => string;
  /** The answer as the rule wants it, made of what people type; without this as it was typed, but for spaces around it. */
  tidy?: (typed: string) => string;
};

/** One line that a person types, judged by a rule of the contract and told in our words. */
export function answer<Rule extends z.ZodMiniType>(rule: Rule, { missing, wrong, tidy = asTyped }: AnswerMessages) {
  return z.pipe(
    z.string(missing),
    z.transform((typed: string, context): z.output<Rule> => {
      const tidied = tidy(typed.trim());
      const judged = rule.safeParse(tidied);
      if (tidied !== "" && judged.success) return judged.data;
      context.issues.push({ code: "custom", input: typed, message: tidied === "" ? missing : wrong(tidied) });
      return z.NEVER;
    }),
  );
}

/** The same, where nothing is an answer too: an empty text. */
export function optionalAnswerField(rule: z.ZodMiniType<string>, words: Omit<AnswerMessages, "missing">) {
  return z.pipe(
    z.string("This page is out of date. Please reload it."),
    z.transform((typed: string, context) => {
      if (typed.trim() === "") return "";
      const given = answer(rule, { ...words, missing: "" }).safeParse(typed);
      if (given.success) return given.data;
      context.issues.push({ code: "custom", input: typed, message: given.error.issues[0]?.message ?? "" });
      return z.NEVER;
    }),
  );
}

/** What is wrong with a text that the contract's `text` refuses; `what` begins the sentence, "Your first name". */
export function textProblem(what: string, charactersMax: number): (typed: string) => string {
  return (typed) =>
    [...typed].length > charactersMax
      ? `${what} can have at most ${charactersMax} characters.`
      : `${what} has a character that we cannot use. Please type it again.`;
}

function asTyped(typed: string): string {
  return typed;
}

/**
 * The path on our own origin that `path` names, or `fallback` for anything that would lead elsewhere: it comes from a
 * form or an address, and a browser reads `//host` and `/\host` as another site. Dots are resolved first: `/.//host` is one.
 */
export function ownPath(path: string | null | undefined, fallback: string): string {
  if (!path?.startsWith("/")) return fallback;
  const base = "https://own.invalid";
  const address = URL.parse(path, base);
  if (address?.origin !== base || address.pathname.startsWith("//")) return fallback;
  return address.pathname + address.search;
}

/** The field `return_to` of a form: a path of ours, empty when it names none. */
export const returnToField = z.pipe(
  z._default(z.string(), ""),
  z.transform((path: string) => ownPath(path, "")),
);
