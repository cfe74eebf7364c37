import { html } from "hono/html";
import { bodies } from "../../../contract/bodies.ts";
import { basicOption, curlOf } from "./curl.ts";
import { copyable, type Html, prose } from "./markup.ts";
import type { Site } from "./site.ts";

type Step = { title: string; text: string; command: string };

/** The first calls that somebody makes here. In a sandbox they work as they stand, in a terminal, one after the other. */
export function quickstartSteps({ baseUrl, isSandbox, credentials }: Site): Step[] {
  const option = credentials ? basicOption(credentials) : '-u "$CLIENT_ID:$CLIENT_SECRET"';
  const call = (method: string, path: string, json?: unknown) =>
    curlOf({ method, url: `${baseUrl}${path}`, credentials: option, json });
  const create = call("POST", "/v1/user_intent", bodies["UserIntentCreation"]?.example);
  const published = [
    {
      title: "Register a person",
      text: "A user intent says who is to be paid. The answer is printed, and its id kept for the next calls.",
      command: `ANSWER=$(${create})\necho "$ANSWER"\nINTENT=$(echo "$ANSWER" | sed -E 's/.*"id":"([^"]+)".*/\\1/')`,
    },
    {
      title: "Read what was decided",
      text: "`pending` for a second, then `approved`. A webhook tells your application, so that it need not ask.",
      command: call("GET", "/v1/user_intent/$INTENT"),
    },
  ];
  if (!isSandbox) return published;
  return [
    ...published,
    {
      title: "See the signed webhook",
      text: "Each delivery with every attempt: what was sent, what your endpoint answered, and when it is sent again.",
      command: call("GET", "/sandbox/webhooks"),
    },
    {
      title: "Make a client of your own",
      text: "With its own secrets, clock, business user and funded account. Nobody else sees what you do with it.",
      command: call("POST", "/sandbox/clients"),
    },
  ];
}

/** The quickstart as a numbered list. */
export function quickstart(site: Site): Html {
  return html`<ol class="steps">${quickstartSteps(site).map(
    ({ title, text, command }) => html`<li><h3>${title}</h3><p>${prose(text)}</p>${copyable(command, title)}</li>`,
  )}</ol>`;
}
