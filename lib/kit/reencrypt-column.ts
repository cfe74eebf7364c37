import { decodeProtectedHeader, type ProtectedHeaderParameters } from "jose";
import pg from "pg";
import { sentenceOf } from "./describe-error.ts";
import { decryptBytes, type Keyring, reencryptText } from "./secrets.ts";

export type EncryptedColumn = {
  table: string;
  key: string;
  column: string;
  batchSize?: number;
};

/**
 * Re-encrypts columns with the current key and returns how many values had another key. Safe to repeat, and on a live
 * system: skips values that are replaced concurrently. Values that can't be decrypted hold up no others; at the
 * end, a one-sentence error names them.
 */
export async function reencryptColumns(
  pool: pg.Pool,
  columns: readonly EncryptedColumn[],
  keyring: Keyring,
): Promise<number> {
  const named: string[] = [];
  let unreadable = 0;
  const onUnreadable = (name: string) => {
    unreadable += 1;
    if (named.length < namedMax) named.push(name);
  };
  let changed = 0;
  for (const column of columns) changed += await reencryptColumn(pool, column, { keyring, onUnreadable });
  if (unreadable === 0) return changed;
  const more = unreadable > namedMax ? `; and ${unreadable - namedMax} more` : "";
  throw new Error(`Some values can't be decrypted: ${named.join("; ")}${more}`);
}

const namedMax = 10;

async function reencryptColumn(
  pool: pg.Pool,
  encrypted: EncryptedColumn,
  { keyring, onUnreadable }: { keyring: Keyring; onUnreadable: (name: string) => void },
): Promise<number> {
  const [table, key, column] = [encrypted.table, encrypted.key, encrypted.column].map(pg.escapeIdentifier);
  const { batchSize = 500 } = encrypted;
  let changed = 0;
  let last: string | undefined;
  for (;;) {
    const { rows } = await pool.query<{ key: string; text: string }>(
      `select ${key}::text as key, ${column} as text from ${table}
       where ${column} is not null ${last === undefined ? "" : `and ${key} > $1`}
       order by ${table}.${key} limit ${batchSize}`,
      last === undefined ? [] : [last],
    );
    for (const { key: id, text } of rows) {
      const replacement = await reencryptText(text, keyring).catch((error: unknown) => {
        onUnreadable(`${encrypted.table}.${encrypted.column} of ${id} (${sentenceOf(error)})`);
      });
      if (!replacement) continue;
      const update = `update ${table} set ${column} = $1 where ${key} = $2 and ${column} = $3`;
      changed += (await pool.query(update, [replacement, id, text])).rowCount ?? 0;
    }
    if (rows.length < batchSize) return changed;
    last = rows.at(-1)?.key;
  }
}

const sampleSize = 10;

/**
 * Throws a one-sentence error if a configured key has the id of the key that encrypted the column but isn't that key: new
 * writes would mix two keys under one id. Ignores unknown ids, whose key is missing, and damaged headers.
 */
export async function requireSameKeys(
  pool: pg.Pool,
  { table, column }: EncryptedColumn,
  { keyring, setting }: { keyring: Keyring; setting: string },
): Promise<void> {
  const [tableName, columnName] = [table, column].map(pg.escapeIdentifier);
  const { rows } = await pool.query<{ text: string }>(
    `select ${columnName} as text from ${tableName} where ${columnName} is not null limit ${sampleSize}`,
  );
  let wrong: string | undefined;
  for (const { text } of rows) {
    const { kid, context } = readHeader(text);
    if (!keyring.some(({ id }) => id === kid)) continue;
    const isRead = await decryptBytes(text, String(context), keyring).then(
      () => true,
      () => false,
    );
    // One readable value is enough, so that a damaged one can't stop a process.
    if (isRead) return;
    wrong = kid;
  }
  if (wrong !== undefined) {
    throw new Error(
      `${setting}: the key "${wrong}" differs from the key with this id that encrypted the database. Restore that key.`,
    );
  }
}

/** Empty if it's damaged. */
function readHeader(encrypted: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(encrypted);
  } catch {
    return {};
  }
}
