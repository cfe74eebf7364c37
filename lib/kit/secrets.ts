import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";

/** A prefix that names its kind, then 256 random bits in base64url (43 characters). */
export function newSecret(prefix: string): string {
  return prefix + randomBytes(32).toString("base64url");
}

/** SHA-256, 32 bytes. Enough for random secrets; only passwords need a slow hash (Decision D2). */
export function sha256(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** HMAC-SHA256 under a server key, 32 bytes: for values that could be guessed, such as a six-digit code or an ssn. */
export function keyedHash(key: string, data: string | Buffer): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

/** Compares in constant time. */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}
