import { partner } from "../process-partner.ts";

// One process of Harbor: fifty callers at once on behalf of the user named by the first argument. Prints how they fared.
const [, , serviceUserId = "", callers = "50"] = process.argv;
const answers = await Promise.all(
  Array.from({ length: Number(callers) }, () => partner().tokens.call(serviceUserId, partner().client.readUser)),
);
process.stdout.write(JSON.stringify(answers.map(({ kind }) => kind)));
process.exit(0);
