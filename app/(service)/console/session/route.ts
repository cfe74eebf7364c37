import { answerSignIn } from "#lib/service/pages/console/sign-in.ts";
import { consoleRoute } from "../console-route.ts";

export const POST = consoleRoute(answerSignIn);
