import { service } from "../service.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

// One process of Harbor: fifty callers at once on behalf of the user named by the first argument. Prints how they fared.
const [, , serviceUserId = "", callers = "50"] = process.argv;
const answers = await Promise.all(
  Array.from({ length: Number(callers) }, () => withAccessToken(serviceUserId, service().readUser)),
);
process.stdout.write(JSON.stringify(answers.map(({ kind }) => kind)));
process.exit(0);
