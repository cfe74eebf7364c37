import { keyedHash, sha256 } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";

/** Tells a secret text apart from others without telling it: 16 hexadecimal digits, of no text null. */
export type Fingerprint = {
  (text: string): string;
  (text: string | null | undefined): string | null;
  /** The fingerprint of a text of which only the SHA-256 is kept, as of a token. */
  ofHash: (hash: Buffer) => string;
};

const hexDigits = 16;

/**
 * The fingerprints of one client. They are keyed by the installation's key, because a plain hash of what may be guessed (a
 * customer's id, a short state) would tell it; and by the client, so that two clients cannot compare theirs. They are made of
 * the text's SHA-256, which is all that is kept of a token.
 */
export function fingerprintsOf(clientId: string): Fingerprint {
  const key = keyedHash(serviceConfig().fingerprintKey, `sandbox_events:${clientId}`).toString("hex");
  const ofHash = (hash: Buffer) => keyedHash(key, hash).toString("hex").slice(0, hexDigits);
  function fingerprint(text: string): string;
  function fingerprint(text: string | null | undefined): string | null;
  function fingerprint(text: string | null | undefined): string | null {
    return typeof text === "string" ? ofHash(sha256(text)) : null;
  }
  return Object.assign(fingerprint, { ofHash });
}
