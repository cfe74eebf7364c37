import { answerPalette } from "#lib/service/sandbox/console/answer-palette.ts";
import { consoleRoute } from "../console-route.ts";

export const GET = consoleRoute(answerPalette);
