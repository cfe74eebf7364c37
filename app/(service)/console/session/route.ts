import { answerRefusedClient, answerSignIn } from "#lib/service/sandbox/console/sign-in.ts";
import { consoleRoute } from "../console-route.ts";

export const GET = consoleRoute(answerRefusedClient);
export const POST = consoleRoute(answerSignIn);
