import { refuseSingleStatements } from "../../testing/refuse-single-statements.ts";

// The same answers of the careful way alone, which otherwise serves only what is left out.
refuseSingleStatements();
await import("./money-routes.test.ts");
