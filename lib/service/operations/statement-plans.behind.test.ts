import { fillAfterStatistics } from "../testing/fill-database.ts";

// With statistics from a time when nothing was pending.
fillAfterStatistics();
await import("./statement-plans.test.ts");
