import { serviceConfig } from "../../config.ts";

/** Whether a request comes from a page of ours: another site's would act for whoever is signed in here. */
export function isOwnRequest({ headers }: Request): boolean {
  return headers.get("origin") === serviceConfig().authUrl;
}
