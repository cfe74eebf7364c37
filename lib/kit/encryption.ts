import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from "jose";

/** Keys by id, the current one first; each 32 bytes. Older ones only decrypt, so a key can be rotated without a pause. */
export type Keyring = readonly [EncryptionKey, ...EncryptionKey[]];
/** One AES-256 key and the id that every text encrypted with it carries. */
export type EncryptionKey = { id: string; bytes: Uint8Array };

/**
 * Encrypts text at rest (JWE, AES-256-GCM). `context` names its row and column, as in `user_intents.identity:0198…`; a
 * ciphertext that was moved to another row does not decrypt.
 */
export function encryptText(plain: string, context: string, keyring: Keyring): Promise<string> {
  return encryptBytes(new TextEncoder().encode(plain), context, keyring);
}

/** The same for bytes, such as a file. */
export function encryptBytes(plain: Uint8Array, context: string, [current]: Keyring): Promise<string> {
  return new CompactEncrypt(plain)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: current.id, context })
    .encrypt(current.bytes);
}

/** The text that was encrypted for this context. Throws when key, context or ciphertext do not fit together. */
export async function decryptText(encrypted: string, context: string, keyring: Keyring): Promise<string> {
  return new TextDecoder().decode(await decryptBytes(encrypted, context, keyring));
}

/** The same for bytes, such as a file. */
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
  if (protectedHeader["context"] !== context) throw new Error("This text was encrypted for another place.");
  return plaintext;
}

/** Reads a keyring setting: `id:base64` pairs, separated by commas, the current key first. Throws without showing a value. */
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

/**
 * The same text under the keyring's current key and for the same context; undefined when it is under that key already.
 * The context comes from the ciphertext itself, so one that was moved to another row stays as useless as it was.
 */
export async function reencryptText(encrypted: string, keyring: Keyring): Promise<string | undefined> {
  const { kid, context } = decodeProtectedHeader(encrypted);
  if (kid === keyring[0].id) return undefined;
  if (typeof context !== "string") throw new Error("This text names no context.");
  // As bytes: a photo that is read as text is no longer the photo.
  return encryptBytes(await decryptBytes(encrypted, context, keyring), context, keyring);
}
