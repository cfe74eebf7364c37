import { divideTestAccounts } from "../../testing/divided-accounts.ts";

// The same guarantees of accounts with parts.
divideTestAccounts(4);
await import("./create-book-routine.race.test.ts");
