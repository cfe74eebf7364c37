import { ne } from "drizzle-orm";
import { database } from "./database.ts";
import { clock } from "./schema.ts";

/** Whether Harbor's clock runs ahead of real time, as only a sandbox's can. */
export async function isClockMoved(): Promise<boolean> {
  const moved = await database().select().from(clock).where(ne(clock.offset, "0"));
  return moved.length > 0;
}
