import type { Check } from "../check.ts";
import { answerDecisions } from "./answers.ts";
import { consoleDecisions } from "./console.ts";
import { journeyDecisions } from "./journeys.ts";
import { judgedDecisions } from "./judged.ts";
import { moneyDecisions } from "./money.ts";
import { originDecisions } from "./origins.ts";
import { peopleDecisions } from "./people.ts";
import { seenDecisions } from "./seen.ts";
import { statusDecisions } from "./statuses.ts";
import { webhookDecisions } from "./webhooks.ts";

/**
 * All checks of our decisions, in lanes that are run side by side, because many of them wait. Within a lane they are run in this
 * order; what checks share that changes it (the money of the shared business, a client of their own) is of one lane.
 */
export const decisionLanes: Check[][] = [
  [...originDecisions, ...answerDecisions, ...journeyDecisions, ...statusDecisions],
  [...peopleDecisions, ...webhookDecisions, ...judgedDecisions],
  [...moneyDecisions, ...seenDecisions, ...consoleDecisions],
];

/** The same, as one list. */
export const decisionChecks: Check[] = decisionLanes.flat();
