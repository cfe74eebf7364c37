import { partner } from "../process-partner.ts";

// One Harbor process: concurrent calls for the user in the first argument. Prints their results.
const [, , serviceUserId = "", callers = "50"] = process.argv;
const answers = await Promise.all(
  Array.from({ length: Number(callers) }, () => partner().tokens.call(serviceUserId, partner().client.readUser)),
);
process.stdout.write(JSON.stringify(answers.map(({ kind }) => kind)));
process.exit(0);
