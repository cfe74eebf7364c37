import type { FieldValues, Resolver } from "react-hook-form";

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
