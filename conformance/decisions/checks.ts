import type { Check } from "../check.ts";
import { answerDecisions } from "./answers.ts";
import { journeyDecisions } from "./journeys.ts";
import { statusDecisions } from "./statuses.ts";

/** All checks of our decisions. */
export const decisionChecks: Check[] = [...answerDecisions, ...journeyDecisions, ...statusDecisions];
