import { sha256 } from "../../kit/secrets.ts";

// Where clients live in several databases, a request must tell whose it is before anything is read: its Basic credentials do,
// and so does `client_id` of an authorization request. What tells nothing by itself carries a hint (docs/decisions/0065).

/** The twelve hexadecimal digits that stand for a client. No secret, and the same everywhere and always. */
export function clientHint(clientId: string): string {
  return sha256(clientId).toString("hex").slice(0, 12);
}
