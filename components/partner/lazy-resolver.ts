import type { FieldValues, Resolver } from "react-hook-form";
import type * as z from "zod/mini";
import type { FieldProblem } from "#lib/contract/errors.ts";
import { type FormState, problemAt } from "#lib/partner/requests/form-state.ts";
import { words } from "#words";

/** The resolver of a form whose schema loads on first focus, because it is most of the page's script. */
export type LazyResolver<Input extends FieldValues, Output> = {
  /** Loads the schema if needed. Reports no errors if that fails, so call `load` first where it matters. */
  resolver: Resolver<Input, unknown, Output>;
  /** Loads the schema once. False if that failed; the next call tries again. */
  load: () => Promise<boolean>;
};

/** Makes a `LazyResolver`; `loadSchema` is usually an `import()`. */
export function lazyResolver<Input extends FieldValues, Output>(
  loadSchema: () => Promise<z.core.$ZodType<Output, Input>>,
): LazyResolver<Input, Output> {
  let loading: Promise<Resolver<Input, unknown, Output> | undefined> | undefined;

  async function makeResolver(): Promise<Resolver<Input, unknown, Output>> {
    const [{ zodResolver }, schema] = await Promise.all([import("@hookform/resolvers/zod"), loadSchema()]);
    return zodResolver(schema);
  }

  function loaded() {
    loading ??= makeResolver().catch(() => {
      loading = undefined;
      return undefined;
    });
    return loading;
  }

  return {
    resolver: async (...args) => {
      const resolve = await loaded();
      return resolve ? resolve(...args) : { values: {}, errors: {} };
    },
    load: async () => (await loaded()) !== undefined,
  };
}

/** The schema did not load, so nothing was checked or sent. */
export function schemaNotLoaded(): FormState {
  const t = words("problems");
  return problemAt("form", t("notLoaded"), { title: t("notLoadedTitle") });
}

/** The errors of react-hook-form at or below a field, under the contract's names: `metadata.0.key`. */
export function problemsOfErrors(errors: unknown, field = ""): FieldProblem[] {
  if (typeof errors !== "object" || errors === null) return [];
  if ("message" in errors && typeof errors.message === "string") return [{ field, message: errors.message }];
  return Object.entries(errors).flatMap(([name, below]) => {
    // An error about a whole list is under `root`.
    if (name === "root") return problemsOfErrors(below, field);
    return problemsOfErrors(below, field ? `${field}.${name}` : name);
  });
}
