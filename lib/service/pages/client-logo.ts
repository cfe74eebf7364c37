import { readdirSync } from "node:fs";
import { memoize } from "../../kit/memoize.ts";

const logos = memoize(() => new Set(readdirSync("public/service/clients")));

/**
 * The address of the logo that an operator has put beside the service's own files for this client, as `<client_id>.svg`;
 * undefined where there is none. A client cannot bring one itself: the page on which people decide shows nobody's picture
 * unseen.
 */
export function findClientLogo(clientId: string): string | undefined {
  const file = `${clientId}.svg`;
  return logos().has(file) ? `/service/clients/${encodeURIComponent(file)}` : undefined;
}
