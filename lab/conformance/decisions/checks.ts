import type { Check } from "../check.ts";
import { answerDecisions } from "./answers.ts";
import { consoleDecisions } from "./console.ts";
import { eventDecisions } from "./events.ts";
import { journeyDecisions } from "./journeys.ts";
import { judgedDecisions } from "./judged.ts";
import { moneyDecisions } from "./money.ts";
import { originDecisions } from "./origins.ts";
import { peopleDecisions } from "./people.ts";
import { statusDecisions } from "./statuses.ts";
import { webhookDecisions } from "./webhooks.ts";

/**
 * All checks of our decisions, in lanes that run concurrently because many checks wait. Checks that share mutable state (the
 * shared business's money, their own client) are in one lane, in order.
 */
export const decisionLanes: Check[][] = [
  [...originDecisions, ...answerDecisions, ...journeyDecisions, ...statusDecisions],
  [...peopleDecisions, ...webhookDecisions, ...judgedDecisions],
  [...moneyDecisions, ...eventDecisions, ...consoleDecisions],
];

export const decisionChecks: Check[] = decisionLanes.flat();
