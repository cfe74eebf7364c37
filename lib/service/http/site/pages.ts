import { html } from "hono/html";
import { bodies } from "../../../contract/bodies.ts";
import type { Health } from "../../operations/read-health.ts";
import { basicOption, curlOf } from "./open-api.ts";
import { copyable, type Html, prose, type Site } from "./site-page.ts";

export function frontPage(site: Site): Html {
  return html`
<p class="eyebrow">Onboarding, authorization, book transfers</p>
<h1>Accounts for your people, and money that moves between them</h1>
<p class="lead">Your application registers a person, the person authorizes your application, and from then on a call moves money between their accounts. Every entry has its counterpart; that is the plain book.</p>
<p class="ways"><a class="button" href="/docs">Read the docs</a>${site.isSandbox ? html`<a class="button quiet" href="${site.authUrl}/console">Open the console</a>` : ""}<a class="button quiet" href="/status">Is it up?</a></p>
<section>
<h2 id="quickstart">Start in a terminal</h2>
<p>${credentialsSentence(site)}</p>
${quickstart(site)}
</section>
<section>
<h2 id="then">Then</h2>
<p>Send the person to <a href="/docs#openAuthorizationPage">the page where they authorize you</a>, <a href="/docs#issueTokens">exchange the code for tokens</a>, and <a href="/docs#createBookRoutine">pay</a>. <a href="/docs#webhooks">Webhooks</a> report the outcome of each step.</p>
</section>`;
}

function credentialsSentence({ isSandbox, credentials }: Site): string {
  if (credentials) return "Copy these commands one after the other. The sandbox’s credentials work as they are.";
  const whose = "with the id and secret of your client in CLIENT_ID and CLIENT_SECRET";
  return isSandbox
    ? `Copy these commands one after the other, ${whose}.`
    : `Ask the operator for a client. Then copy these commands, ${whose}:`;
}

type Step = { title: string; text: string; command: string };

/** In a sandbox, the steps work as they are, in a terminal, one after the other. */
export function quickstartSteps(site: Site): Step[] {
  const { baseUrl, isSandbox, credentials } = site;
  const option = credentials ? basicOption(credentials) : '-u "$CLIENT_ID:$CLIENT_SECRET"';
  const call = (method: string, path: string, json?: unknown) =>
    curlOf({ method, url: `${baseUrl}${path}`, credentials: option, json });
  const create = call("POST", "/v1/user_intent", bodies["UserIntentCreation"]?.example);
  const published = [
    {
      title: "Register a person",
      text: "A user intent describes the person to pay. Prints the response and stores its id for the next calls.",
      command: keepField(create, { field: "id", name: "INTENT" }),
    },
    {
      title: "Read the decision",
      text: "`pending` for a second, then `approved`. A webhook notifies your application, so it doesn’t need to poll.",
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
          ? "No endpoint is set, so webhooks wait. Set one with `PUT /sandbox/webhook_endpoint`; then each attempt is listed here, with your endpoint's response."
          : "Each delivery with its attempts: what was sent, what your endpoint answered, and when the next attempt is.",
      command: call("GET", "/sandbox/webhooks"),
    },
    {
      title: "Create your own client",
      text: "With its own secrets, clock, business user and funded account, isolated from other clients.",
      command: call("POST", "/sandbox/clients"),
    },
  ];
}

// Without a session token the person verifies their phone on the pages, and returns with a code.
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
      title: "Let the person authorize you",
      text: `Open the printed address in a browser. The phone on the page shows the texted code. After Authorize, the browser goes to \`${redirectUri}\` with a code, even if nothing is listening there yet.`,
      command: `echo "${authUrl}/login/oauth/authorize?${query}&user_intent_id=$INTENT"`,
    },
    {
      title: "Exchange the code for tokens",
      text: "A code works once and expires soon. Put the code from the browser's address into the first line.",
      command: `CODE=the-code-from-the-address\n${keepField(exchange, { field: "access_token", name: "TOKEN" })}`,
    },
    {
      title: "Read the user",
      text: "The same token reads everything else that the person allowed.",
      command: curlOf({ method: "GET", url: `${baseUrl}/v1/user`, headers: ["authorization: Bearer $TOKEN"] }),
    },
  ];
}

function keepField(command: string, { field, name }: { field: string; name: string }): string {
  return `ANSWER=$(${command})\necho "$ANSWER"\n${name}=$(echo "$ANSWER" | sed -E 's/.*"${field}":"([^"]+)".*/\\1/')`;
}

export function quickstart(site: Site): Html {
  return html`<ol class="steps">${quickstartSteps(site).map(
    ({ title, text, command }) => html`<li><h3>${title}</h3><p>${prose(text)}</p>${copyable(command, title)}</li>`,
  )}</ol>`;
}

const lateSecondsMax = 60;

type Check = { name: string; state: "good" | "bad" | "unknown"; text: string };

export function isHealthy(health: Health): boolean {
  return checksOf(health).every(({ state }) => state !== "bad");
}

export function statusPage(health: Health): Html {
  return html`
<p class="eyebrow">Status</p>
<h1>${isHealthy(health) ? "Plainbook is up" : "Plainbook has a problem"}</h1>
<p class="lead">At the time of this request. For programs: <a href="/healthz">/healthz</a> and <a href="/readyz">/readyz</a>.</p>
<dl class="checks">${checksOf(health).map(
    ({ name, state, text }) => html`<div><dt>${name}</dt><dd class="${state}">${text}</dd></div>`,
  )}</dl>`;
}

function checksOf(health: Health): Check[] {
  const api: Check = { name: "API", state: "good", text: "Responding." };
  if (health.kind === "database_unavailable") {
    return [
      api,
      { name: "Database", state: "bad", text: "Not responding. Until it is back, calls are answered 503." },
      { name: "Webhooks", state: "unknown", text: "Unknown while the database is down." },
      { name: "Ledger", state: "unknown", text: "Unknown while the database is down." },
    ];
  }
  const { webhooksLateSeconds, reconciliation } = health;
  const isLate = webhooksLateSeconds > lateSecondsMax;
  return [
    api,
    { name: "Database", state: "good", text: "Responding." },
    {
      name: "Webhooks",
      state: isLate ? "bad" : "good",
      text: isLate ? "Delayed: the oldest due webhook has waited for more than a minute." : "Sent on time.",
    },
    booksCheck(reconciliation?.problems),
  ];
}

function booksCheck(problems: number | undefined): Check {
  if (problems === undefined) return { name: "Ledger", state: "unknown", text: "Not reconciled yet." };
  return problems === 0
    ? { name: "Ledger", state: "good", text: "Balanced at the last reconciliation." }
    : { name: "Ledger", state: "bad", text: "The last reconciliation found problems." };
}

export function termsPage({ isSandbox }: { isSandbox: boolean }): Html {
  return html`
<h1>Terms</h1>
<p class="lead">${
    isSandbox
      ? "This Plainbook is a sandbox. Nothing here moves real money, and nothing you agree to here is binding."
      : "This Plainbook has its own operator. Your agreement with them is the binding one."
  }</p>
<h2>What it does</h2>
<p>Plainbook keeps accounts, verifies people's identities, and moves money between accounts when an application does so that the owner has authorized.</p>
<h2>What you allow</h2>
<p>The page on which you press Authorize lists what the application may do. It can't do anything else. Only a business can allow an application to make transfers. A person allows it to view their data, and receives money.</p>
<h2>How it ends</h2>
<p>You disconnect in the application. Its tokens stop working at once. An authorization that isn't renewed ends after ten days.</p>
<h2>Who operates it</h2>
<p>The person who started this program, on their own machine. Plainbook is part of Gangway, a reference integration under the MIT license, without any warranty.</p>`;
}

export function privacyPage({ isSandbox }: { isSandbox: boolean }): Html {
  return html`
<h1>Privacy</h1>
<p class="lead">${
    isSandbox
      ? "This is a sandbox, so please don’t enter real data. What you type stays on the machine that runs it."
      : "The operator of this service stores what you type and shares it only with the application that you authorize."
  }</p>
<h2>What is stored</h2>
<p>Your name, phone, email address, postal address, date of birth and social security number; your accounts and transfers; the text messages sent to you, and a photo of your ID if you were asked for one. The social security number, the date of birth, the postal address and the photo are encrypted in the database.</p>
<h2>Who can see it</h2>
<p>An application that you authorize sees your name, email address, phone number, status and accounts. We never show it your social security number, your date of birth or the photo of your ID. Our pages load nothing from third parties: no analytics and no advertising.</p>
<h2>Cookies</h2>
<p>One for each visit to the authorization page. It holds a random number, expires after half an hour, and doesn’t track you.</p>
<h2>How long</h2>
<p>${isSandbox ? "Until the sandbox’s data folder is deleted." : "For as long as the law requires the operator to keep records of transfers."}</p>`;
}
