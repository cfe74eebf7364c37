import { answerEvents } from "#lib/service/sandbox/console/answer-call.ts";
import { consoleRoute } from "../console-route.ts";

export const GET = consoleRoute(answerEvents);
