import { describe, expect, test } from "vitest";
import { decryptBytes, decryptText, encryptBytes, encryptText, parseKeyring, reencryptText } from "./secrets.ts";

const key = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString("base64")}`;
const keyring = parseKeyring(key("one", 1));

describe("text at rest", () => {
  test("decrypts for its own row, and shows nothing before", async () => {
    const encrypted = await encryptText("123456789", "intents.ssn:1", keyring);
    expect(encrypted).not.toContain("123456789");
    expect(await decryptText(encrypted, "intents.ssn:1", keyring)).toBe("123456789");
  });

  test("does not decrypt in another row", async () => {
    const encrypted = await encryptText("123456789", "intents.ssn:1", keyring);
    await expect(decryptText(encrypted, "intents.ssn:2", keyring)).rejects.toThrow("another context");
  });

  test("does not decrypt when a character has changed", async () => {
    const encrypted = await encryptText("123456789", "intents.ssn:1", keyring);
    const middle = encrypted.length - 30;
    const changed = encrypted.slice(0, middle) + (encrypted[middle] === "A" ? "B" : "A") + encrypted.slice(middle + 1);
    await expect(decryptText(changed, "intents.ssn:1", keyring)).rejects.toThrow();
  });

  test("stays readable after a key rotation, and new text uses the new key", async () => {
    const old = await encryptText("kept", "row:1", keyring);
    const rotated = parseKeyring(`${key("two", 2)},${key("one", 1)}`);
    expect(await decryptText(old, "row:1", rotated)).toBe("kept");
    const fresh = await encryptText("new", "row:1", rotated);
    await expect(decryptText(fresh, "row:1", keyring)).rejects.toThrow('No encryption key "two"');
  });

  test("re-encrypts a file byte for byte", async () => {
    const photo = Uint8Array.from([0xff, 0xd8, 0xff, 0x00, 0x80, 0xc3, 0x28]);
    const rotated = parseKeyring(`${key("two", 2)},${key("one", 1)}`);
    const encrypted = await reencryptText(await encryptBytes(photo, "row:1", keyring), rotated);
    expect(await decryptBytes(encrypted ?? "", "row:1", parseKeyring(key("two", 2)))).toEqual(photo);
    expect(await reencryptText(encrypted ?? "", rotated)).toBeUndefined();
  });
});

test.each(["", "one", "one:c2hvcnQ=", ":AAAA"])("the keyring setting %j is refused without being shown", (setting) => {
  expect(() => parseKeyring(setting)).toThrow("must be id:base64 pairs");
});
