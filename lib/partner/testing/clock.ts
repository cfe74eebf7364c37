import { partner } from "../process-partner.ts";

/**
 * Sets how far Harbor's clock runs ahead of real time.
 * @param offset an interval as PostgreSQL reads it: "3 hours", or "0" for real time
 */
export async function setClockAhead(offset: string): Promise<void> {
  await partner().pool.query(
    "insert into clock (clock_offset) values ($1) on conflict (is_only) do update set clock_offset = excluded.clock_offset",
    [offset],
  );
}
