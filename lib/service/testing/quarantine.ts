import { servicePool } from "../storage/database.ts";
import type { QuarantinedKind } from "../storage/schema.ts";

export async function quarantined(kind: QuarantinedKind): Promise<number> {
  const { rows } = await servicePool().query<{ n: number }>(
    "select count(*)::int as n from quarantine where kind = $1",
    [kind],
  );
  return rows[0]?.n ?? 0;
}

/** Makes everything in quarantine due for a retry, as real time would. */
export async function endQuarantines(): Promise<void> {
  await servicePool().query("update quarantine set retry_real_at = now()");
}
