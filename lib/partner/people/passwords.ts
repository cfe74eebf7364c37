import { hash, verify } from "@node-rs/argon2";

// OWASP's first choice for argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password for keeping (argon2id). */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

/** Whether the password fits. Without a hash (nobody has that address) the same work is done for nothing, in the same time. */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const decoyHash = await nobodysHash();
  const isRight = await verify(passwordHash ?? decoyHash, password);
  return isRight && passwordHash !== undefined;
}

let nobodys: Promise<string> | undefined;

function nobodysHash(): Promise<string> {
  nobodys ??= hashPassword("the password of nobody");
  return nobodys;
}
