import { hasConsole } from "#lib/service/sandbox/console/sign-in.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** Answers 404 if the console is off. */
export function consoleRoute(answer: Answer): (request: Request) => Promise<Response> {
  return async (request) => {
    const isOurs = request.headers.get("x-gangway-app") === "service" && hasConsole();
    return isOurs ? answer(request) : new Response(null, { status: 404 });
  };
}
