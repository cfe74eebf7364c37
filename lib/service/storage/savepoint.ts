import type { PartOutcome } from "../../kit/do-in-parts.ts";
import type { Connection } from "./prepared.ts";

/**
 * Runs a part of a transaction. When it fails with an error that `isItsOwn`, only this part is undone and the rest of the
 * transaction stays. Any other error (a lost connection, a deadlock) is the whole transaction's and is thrown.
 */
export async function inSavepoint<T>(
  connection: Connection,
  isItsOwn: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<PartOutcome<T>> {
  await connection.query("savepoint part");
  try {
    const value = await work();
    await connection.query("release savepoint part");
    return { kind: "done", value };
  } catch (error) {
    if (!(error instanceof Error) || !isItsOwn(error)) throw error;
    await connection.query("rollback to savepoint part; release savepoint part");
    return { kind: "undone", error };
  }
}
