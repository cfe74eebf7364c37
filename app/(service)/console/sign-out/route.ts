import { answerSignOut } from "#lib/service/sandbox/console/sign-in.ts";
import { consoleRoute } from "../console-route.ts";

export const POST = consoleRoute(answerSignOut);
