import { pay } from "./pay.ts";

// One Harbor process that submits one payment form from its two arguments, for a test that kills it.
const [, , business = "{}", fields = "{}"] = process.argv;
await pay(JSON.parse(business), JSON.parse(fields));
process.exit(0);
