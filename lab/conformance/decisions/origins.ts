import { randomUUID } from "node:crypto";
import { limits } from "../../../lib/contract/limits.ts";
import type { Check } from "../check.ts";
import { must } from "../findings.ts";
import { mint, onboard, pageQuery, sessionTokenOf } from "../world/people.ts";
import { fieldsOf } from "../world/read-answer.ts";
import { decisionsThatNeed } from "./decision.ts";

const decision = decisionsThatNeed();

/** D1: origins, and which request headers are trusted. */
export const originDecisions: Check[] = [
  decision("D1.1", "The issuer is the base URL, and the pages have their own.", async (world) => {
    const { baseUrl, authUrl } = world.settings;
    const exchange = await world.send({ method: "GET", to: "/.well-known/oauth-authorization-server" });
    const { issuer, authorization_endpoint } = fieldsOf(exchange.answer.json);
    must(issuer === baseUrl, "The issuer isn't the base URL.", exchange);
    must(authorization_endpoint === `${authUrl}/login/oauth/authorize`, "The pages are at a different URL.", exchange);
  }),
  decision("D1.2", "Both URLs return 404 for a partner app path.", async (world) => {
    for (const origin of new Set([world.settings.baseUrl, world.settings.authUrl])) {
      const exchange = await world.send({ method: "GET", to: `${origin}/dashboard`, headers: { accept: "text/html" } });
      must(exchange.answer.status === 404, `It returns ${exchange.answer.status}.`, exchange);
    }
  }),
  decision(
    "D1.6",
    "An untrusted forwarded host is ignored.",
    async (world) => {
      const client = await world.client();
      const person = await onboard(client);
      const query = new URLSearchParams(pageQuery(client, person, sessionTokenOf(await mint(client, person))));
      const to = `${world.settings.authUrl}/login/oauth/authorize?${query}`;
      const forwarded = { "x-forwarded-host": "other.example", "x-forwarded-proto": "https" };
      const exchange = await world.send({ method: "GET", to, headers: { accept: "text/html", ...forwarded } });
      const { status, headers } = exchange.answer;
      const location = new URL(headers.get("location") ?? "", world.settings.authUrl);
      must(status === 303, `The entry returns ${status}.`, exchange);
      must(location.origin === new URL(world.settings.authUrl).origin, "It redirects to the forwarded host.", exchange);
    },
    ["control", "pages"],
  ),
  decision("D1.7", "413, 404 and 400 for a large form, an unknown action and a forwarded action.", async (world) => {
    const request = { method: "POST", to: `${world.settings.authUrl}/login/oauth/authorize/${randomUUID()}` };
    const body = `visit=${"a".repeat(limits.requestBytesMax)}`;
    const raw = { type: "application/x-www-form-urlencoded", body };
    const answers = {
      413: await world.send({ ...request, raw }),
      404: await world.send({ ...request, headers: { "next-action": "0".repeat(42) } }),
      400: await world.send({ ...request, headers: { "x-action-forwarded": "1" } }),
    };
    for (const [status, exchange] of Object.entries(answers)) {
      const found = exchange.answer.status;
      must(found === Number(status), `The answer is ${found} instead of ${status}.`, exchange);
    }
  }),
];
