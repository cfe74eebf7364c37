import { divideTestAccounts } from "../../testing/divided-accounts.ts";

// The same guarantees of accounts with parts.
divideTestAccounts(2);
await import("./killed-process.race.test.ts");
