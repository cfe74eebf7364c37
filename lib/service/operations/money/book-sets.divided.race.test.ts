import { divideTestAccounts } from "../../testing/divided-accounts.ts";

// The same guarantees of accounts with parts.
divideTestAccounts(1);
await import("./book-sets.race.test.ts");
