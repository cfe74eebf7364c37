import { divideTestAccounts } from "../../testing/divided-accounts.ts";

// The same guarantees of accounts with parts.
divideTestAccounts(4);
await import("./settle-transfers.race.test.ts");
