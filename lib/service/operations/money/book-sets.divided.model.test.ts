import { divideTestAccounts } from "../../testing/divided-accounts.ts";

// The same guarantees of accounts with parts.
divideTestAccounts(3);
await import("./book-sets.model.test.ts");
