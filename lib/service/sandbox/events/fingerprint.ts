import { keyedHash, sha256 } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";

/** Identifies a secret without revealing it: 16 hex digits, or null without a text. */
export type Fingerprint = {
  (text: string): string;
  (text: string | null | undefined): string | null;
  /** The fingerprint of a text known only by its SHA-256, such as a token. */
  ofHash: (hash: Buffer) => string;
};

const hexDigits = 16;

/**
 * One client's fingerprints. Keyed by the installation, so that guessable texts can't be brute-forced, and by client, so that
 * clients can't compare theirs. Derived from the SHA-256, which is all that is stored of a token.
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
