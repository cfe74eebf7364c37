import { pagePersonHeader } from "#lib/partner/requests/page-person.ts";

/** Asks Harbor anew, saying whose page this is: 401 when another person, or nobody, is signed in by now. */
export function fetchAsPage(path: string, init?: RequestInit): Promise<Response> {
  const { person = "" } = document.documentElement.dataset;
  return fetch(path, { ...init, headers: { [pagePersonHeader]: person }, cache: "no-store" });
}
