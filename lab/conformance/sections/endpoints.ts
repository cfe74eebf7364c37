import type { Check } from "../check.ts";
import { isDone, must, NotReached } from "../findings.ts";
import type { Exchange } from "../world/exchange.ts";
import { createIntent, member, mint, newIntentFields, onboard } from "../world/people.ts";

/** "Endpoints": rules for all of them. */
export const endpointChecks: Check[] = [
  {
    clause: "I.endpoints.1",
    statement: "Successful answers are JSON.",
    needs: [],
    run: async (world) => {
      const client = await world.client();
      const answers: Exchange[] = [await createIntent(client, newIntentFields())];
      if (world.lacks("control", "I.endpoints.1") === undefined) {
        const person = await onboard(client).catch(() => undefined);
        if (person) answers.push(await mint(client, person));
        const known = await member(world).catch(() => undefined);
        if (known) answers.push(known.user);
      }
      const done = answers.filter(isDone);
      if (done.length === 0) throw new NotReached("No request succeeded.", answers[0]);
      for (const exchange of done) {
        const { text, json } = exchange.answer;
        must(text === "" || json !== undefined, "A successful answer isn't JSON.", exchange);
      }
    },
  },
];
