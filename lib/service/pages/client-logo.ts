import { readdirSync } from "node:fs";
import { memoize } from "../../kit/memoize.ts";

const logos = memoize(() => new Set(readdirSync("public/service/clients")));

/**
 * The URL of `<client_id>.svg` among the service's own files, if it exists. Only an operator can add one, so the
 * consent page never shows an unreviewed picture.
 */
export function findClientLogo(clientId: string): string | undefined {
  const file = `${clientId}.svg`;
  return logos().has(file) ? `/service/clients/${encodeURIComponent(file)}` : undefined;
}
