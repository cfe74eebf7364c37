import { hash, verify } from "@node-rs/argon2";

// OWASP's first choice for argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

/** Checks a password. Takes as long without a hash, so that timing doesn't reveal unknown addresses. */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const decoy = await decoyHash();
  const isRight = await verify(passwordHash ?? decoy, password);
  return isRight && passwordHash !== undefined;
}

let madeDecoyHash: Promise<string> | undefined;

function decoyHash(): Promise<string> {
  madeDecoyHash ??= hashPassword("a password without an account");
  return madeDecoyHash;
}
