import { html } from "hono/html";
import { bodies } from "../../../contract/bodies.ts";
import { basicOption, curlOf } from "./curl.ts";
import { copyable, type Html, prose } from "./markup.ts";
import type { Site } from "./site.ts";

type Step = { title: string; text: string; command: string };

/** The first calls that somebody makes here. In a sandbox they work as they stand, in a terminal, one after the other. */
export function quickstartSteps(site: Site): Step[] {
  const { baseUrl, isSandbox, credentials } = site;
  const option = credentials ? basicOption(credentials) : '-u "$CLIENT_ID:$CLIENT_SECRET"';
  const call = (method: string, path: string, json?: unknown) =>
    curlOf({ method, url: `${baseUrl}${path}`, credentials: option, json });
  const create = call("POST", "/v1/user_intent", bodies["UserIntentCreation"]?.example);
  const published = [
    {
      title: "Register a person",
      text: "A user intent says who is to be paid. The answer is printed, and its id kept for the next calls.",
      command: keepField(create, { field: "id", name: "INTENT" }),
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
    ...(credentials?.redirectUri ? authorization(site, option, credentials.redirectUri) : []),
    {
      title: "See the signed webhook",
      text:
        credentials && !credentials.webhookUrl
          ? "Nobody has said where they go, so they wait. `PUT /sandbox/webhook_endpoint` names an address; then each attempt is shown here too, with what your endpoint answered."
          : "Each delivery with every attempt: what was sent, what your endpoint answered, and when it is sent again.",
      command: call("GET", "/sandbox/webhooks"),
    },
    {
      title: "Make a client of your own",
      text: "With its own secrets, clock, business user and funded account. Nobody else sees what you do with it.",
      command: call("POST", "/sandbox/clients"),
    },
  ];
}

// A person whom no session token names proves their phone on the pages, and is sent back with a code.
function authorization({ baseUrl, authUrl, credentials }: Site, option: string, redirectUri: string): Step[] {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: credentials?.clientId ?? "",
    redirect_uri: redirectUri,
  });
  const form = { grant_type: "authorization_code", code: "$CODE", redirect_uri: redirectUri };
  const exchange = curlOf({ method: "POST", url: `${baseUrl}/v1/oauth/token`, credentials: option, form });
  return [
    {
      title: "Send the person to authorize you",
      text: `Open the printed address in a browser. The phone on the page shows the code that was texted. After Authorize the browser goes on to \`${redirectUri}\` with a code, whether or not anything answers there yet.`,
      command: `echo "${authUrl}/login/oauth/authorize?${query}&user_intent_id=$INTENT"`,
    },
    {
      title: "Exchange the code for tokens",
      text: "Once, and soon. Put the code from the browser's address into the first line.",
      command: `CODE=the-code-from-the-address\n${keepField(exchange, { field: "access_token", name: "TOKEN" })}`,
    },
    {
      title: "Read who it is",
      text: "And whatever else the person allowed, with the same token.",
      command: curlOf({ method: "GET", url: `${baseUrl}/v1/user`, headers: ["authorization: Bearer $TOKEN"] }),
    },
  ];
}

function keepField(command: string, { field, name }: { field: string; name: string }): string {
  return `ANSWER=$(${command})\necho "$ANSWER"\n${name}=$(echo "$ANSWER" | sed -E 's/.*"${field}":"([^"]+)".*/\\1/')`;
}

/** The quickstart as a numbered list. */
export function quickstart(site: Site): Html {
  return html`<ol class="steps">${quickstartSteps(site).map(
    ({ title, text, command }) => html`<li><h3>${title}</h3><p>${prose(text)}</p>${copyable(command, title)}</li>`,
  )}</ol>`;
}
