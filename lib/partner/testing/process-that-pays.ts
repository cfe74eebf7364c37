import { pay } from "./pay.ts";

// One process of Harbor: sends one form to pay, as the two arguments say. For a test that kills it.
const [, , business = "{}", fields = "{}"] = process.argv;
await pay(JSON.parse(business), JSON.parse(fields));
process.exit(0);
