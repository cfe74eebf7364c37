import { fillAfterStatistics } from "../testing/fill-database.ts";

// The same where PostgreSQL looked at its tables while nothing waited, and much waits now.
fillAfterStatistics();
await import("./statement-plans.test.ts");
