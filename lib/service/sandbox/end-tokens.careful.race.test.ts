import { refuseSingleStatements } from "../testing/refuse-single-statements.ts";

// The same guarantees of the careful way alone, which otherwise serves only what is left out.
refuseSingleStatements();
await import("./end-tokens.race.test.ts");
