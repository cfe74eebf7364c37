import { divideTestAccounts } from "../../testing/divided-accounts.ts";
import { refuseSingleStatements } from "../../testing/refuse-single-statements.ts";

// The same guarantees of accounts with parts, and of the careful way alone.
divideTestAccounts(4);
refuseSingleStatements();
await import("./settle-transfers.race.test.ts");
