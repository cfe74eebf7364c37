import type { FieldValues, Resolver } from "react-hook-form";
import { brandName } from "#brand/name.ts";
import type { FieldProblem } from "#lib/contract/errors.ts";
import { type FormState, troubleOf } from "#lib/partner/requests/form-state.ts";

/** A form's rules, which are loaded when somebody begins to fill it in and not with the page. */
export type LateCheck<Input extends FieldValues, Output> = {
  /** Checks by the rules as soon as they are there; until then it finds nothing, so ask `begin` before what relies on it. */
  resolver: Resolver<Input, unknown, Output>;
  /** Loads the rules, once. False when they did not come; the next call tries again. */
  begin: () => Promise<boolean>;
};

/** Makes one of whatever loads the rules, usually `import()`. */
export function lateCheck<Input extends FieldValues, Output>(
  load: () => Promise<Resolver<Input, unknown, Output>>,
): LateCheck<Input, Output> {
  let loaded: Promise<Resolver<Input, unknown, Output> | undefined> | undefined;

  function check() {
    loaded ??= load().catch(() => {
      loaded = undefined;
      return undefined;
    });
    return loaded;
  }

  return {
    resolver: async (...asked) => {
      const rules = await check();
      return rules ? rules(...asked) : { values: {}, errors: {} };
    },
    begin: async () => (await check()) !== undefined,
  };
}

/** The rules did not load, so nothing was checked or sent. */
export function notChecked(): FormState {
  return troubleOf(
    `${brandName} didn't answer`,
    "Nothing was sent. Please check your internet connection and try again.",
  );
}

/** What react-hook-form found at a field and below it, as problems with the contract's names: `metadata.0.key`. */
export function problemsOfErrors(errors: unknown, field = ""): FieldProblem[] {
  if (typeof errors !== "object" || errors === null) return [];
  if ("message" in errors && typeof errors.message === "string") return [{ field, message: errors.message }];
  return Object.entries(errors).flatMap(([name, below]) => {
    // `root` is where it keeps what is wrong with a list as a whole.
    if (name === "root") return problemsOfErrors(below, field);
    return problemsOfErrors(below, field ? `${field}.${name}` : name);
  });
}
