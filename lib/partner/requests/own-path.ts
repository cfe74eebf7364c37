import * as z from "zod/mini";

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
