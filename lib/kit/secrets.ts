import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from "jose";

/** A prefix that names the kind of secret, then 256 random bits in base64url (43 characters). */
export function newSecret(prefix: string): string {
  return prefix + randomBytes(32).toString("base64url");
}

/** SHA-256, 32 bytes. Enough for random secrets; only passwords need a slow hash (Decision D2). */
export function sha256(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** HMAC-SHA256 with a server key, 32 bytes: for values that could be guessed, such as a six-digit code or an ssn. */
export function keyedHash(key: string, data: string | Buffer): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

/** Compares in constant time. */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}

/** Keys by id, the current one first; older ones only decrypt, for rotation. */
export type Keyring = readonly [EncryptionKey, ...EncryptionKey[]];
/** A 32-byte key, and the id in each ciphertext made with it. */
export type EncryptionKey = { id: string; bytes: Uint8Array };

/**
 * Encrypts text at rest (JWE, AES-256-GCM). `context` names its row and column, as in `user_intents.identity:0198…`, so
 * a ciphertext copied to another row can't be decrypted.
 */
export function encryptText(plain: string, context: string, keyring: Keyring): Promise<string> {
  return encryptBytes(new TextEncoder().encode(plain), context, keyring);
}

export function encryptBytes(plain: Uint8Array, context: string, [current]: Keyring): Promise<string> {
  return new CompactEncrypt(plain)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: current.id, context })
    .encrypt(current.bytes);
}

/** Throws if the key, context or ciphertext doesn't match. */
export async function decryptText(encrypted: string, context: string, keyring: Keyring): Promise<string> {
  return new TextDecoder().decode(await decryptBytes(encrypted, context, keyring));
}

export async function decryptBytes(encrypted: string, context: string, keyring: Keyring): Promise<Uint8Array> {
  const { plaintext, protectedHeader } = await compactDecrypt(
    encrypted,
    (header) => {
      const key = keyring.find(({ id }) => id === header?.kid);
      if (!key) throw new Error(`No encryption key "${header?.kid}" is configured.`);
      return key.bytes;
    },
    { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] },
  );
  if (protectedHeader["context"] !== context) throw new Error("This text was encrypted for another context.");
  return plaintext;
}

/** Parses `id:base64` pairs, separated by commas, the current key first. Errors show no value. */
export function parseKeyring(setting: string): Keyring {
  const keys = setting.split(",").map((pair) => {
    const [id = "", base64 = ""] = pair.trim().split(":");
    const bytes = new Uint8Array(Buffer.from(base64, "base64"));
    if (!id || bytes.length !== 32) throw new Error("must be id:base64 pairs of 32 bytes each, separated by commas");
    return { id, bytes };
  });
  const [current, ...older] = keys;
  if (!current) throw new Error("must hold at least one key");
  return [current, ...older];
}

/** Re-encrypts with the current key, in the ciphertext's context; undefined if it already uses that key. */
export async function reencryptText(encrypted: string, keyring: Keyring): Promise<string | undefined> {
  const { kid, context } = decodeProtectedHeader(encrypted);
  if (kid === keyring[0].id) return undefined;
  if (typeof context !== "string") throw new Error("This text has no context.");
  return encryptBytes(await decryptBytes(encrypted, context, keyring), context, keyring);
}
