import type { Check } from "../check.ts";
import { must, NotReached } from "../findings.ts";
import type { Client } from "../world/client.ts";
import type { Exchange } from "../world/exchange.ts";
import { fieldsOf } from "../world/read-answer.ts";
import type { World } from "../world/world.ts";
import { decisionsThatNeed } from "./decision.ts";

const decision = decisionsThatNeed("control");

const cookieSeconds = 12 * 60 * 60;

/** D20: the console, as far as it works without scripts. */
export const consoleDecisions: Check[] = [
  decision(
    "D20.7",
    "A client signs in to the console with its id and secret, and only from the console.",
    async (world) => {
      const client = await world.client();
      const signedIn = await signIn(world, client);
      const { status, headers } = signedIn.answer;
      must(status === 303, `Signing in returns ${status}.`, signedIn);
      const location = new URL(headers.get("location") ?? "", world.settings.authUrl);
      must(location.href === `${world.settings.authUrl}/console`, "It redirects outside the console.", signedIn);
      const [cookie = ""] = headers.getSetCookie();
      const parts = ["HttpOnly", "Path=/console", `Max-Age=${cookieSeconds}`].filter((part) => !cookie.includes(part));
      must(parts.length === 0, `The cookie lacks ${parts.join(", ")}.`, signedIn);
      must(!cookie.includes(client.secret), "The cookie shows the secret.");
      const foreign = await signIn(world, client, { origin: "https://other.example" });
      must(foreign.answer.status === 403, "Another site's form signs the user in.", foreign);
      const wrong = await signIn(world, { ...client, secret: "wrong" });
      must(wrong.answer.headers.getSetCookie().length === 0, "A wrong secret signs the user in.", wrong);
    },
  ),
  decision("D20.9", "POST /console/calls makes one sandbox call for the signed-in client.", async (world) => {
    const client = await world.client();
    const cookie = (await signIn(world, client)).answer.headers.getSetCookie()[0]?.split(";")[0];
    if (!cookie) throw new NotReached("Signing in to the console failed.");
    const fault = { method: "DELETE", path: "/sandbox/faults", client_id: client.id };
    const call = (json: unknown, headers: Record<string, string>) =>
      world.send({ method: "POST", to: `${world.settings.authUrl}/console/calls`, json, headers });
    const origin = new URL(world.settings.authUrl).origin;
    const exchange = await call(fault, { origin, cookie });
    const { status, json } = exchange.answer;
    must(status === 200 && "faults" in fieldsOf(json), "The call was not made.", exchange);
    const refusals = {
      400: await call({ ...fault, method: "POST", path: "/v1/user_intent", body: {} }, { origin, cookie }),
      401: await call(fault, { origin }),
      403: await call(fault, { origin: "https://other.example", cookie }),
      409: await call({ ...fault, client_id: "another" }, { origin, cookie }),
    };
    for (const [status, exchange] of Object.entries(refusals)) {
      const found = exchange.answer.status;
      must(found === Number(status), `The answer is ${found} instead of ${status}.`, exchange);
    }
  }),
];

function signIn(
  world: World,
  { id, secret }: Pick<Client, "id" | "secret">,
  headers: Record<string, string> = { origin: new URL(world.settings.authUrl).origin },
): Promise<Exchange> {
  const form = { client_id: id, client_secret: secret, return_to: "https://other.example/console" };
  return world.send({ method: "POST", to: `${world.settings.authUrl}/console/session`, form, headers });
}
