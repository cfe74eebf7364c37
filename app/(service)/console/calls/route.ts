import { answerCall } from "#lib/service/pages/console/answer-call.ts";
import { consoleRoute } from "../console-route.ts";

export const POST = consoleRoute(answerCall);
