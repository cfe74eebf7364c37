import { html } from "hono/html";
import { bodies } from "../../../contract/bodies.ts";
import type { Health } from "../../operations/read-health.ts";
import { basicOption, curlOf } from "./open-api.ts";
import { copyable, type DemoClient, type Html, prose, type Site } from "./site-page.ts";

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
<p>Send the person to <a href="/docs#openAuthorizationPage">the page where they authorize you</a>, <a href="/docs#issueTokens">exchange the code for tokens</a>, and <a href="/docs#createBookRoutine">pay</a>. <a href="/docs#webhooks">Webhooks</a> report the outcome of each step. Does an assistant write it for you? Give it <a href="/llms.txt">llms.txt</a>.</p>
</section>`;
}

function credentialsSentence({ isSandbox, credentials }: Site): string {
  if (credentials)
    return "Copy these commands one after the other into one shell. The sandbox’s credentials work as they are.";
  const withCredentials = "with the id and secret of your client in CLIENT_ID and CLIENT_SECRET";
  return isSandbox
    ? `Copy these commands one after the other, ${withCredentials}.`
    : `Ask the operator for a client. Then copy these commands, ${withCredentials}:`;
}

type Step = { title: string; text: string; command: string };

/** In a sandbox, the steps work unedited when run in a terminal one after the other. */
export function quickstartSteps(site: Site): Step[] {
  if (!site.isSandbox) return registration(site, ownOption);
  const { credentials } = site;
  if (credentials && credentials.customersUrl === undefined) {
    const option = basicOption(credentials);
    return [
      ...registration(site, option),
      ...authorization(site, option, { ...credentials, clientId: encodeURIComponent(credentials.clientId) }),
      webhooks(site, option, credentials.webhookUrl !== undefined),
      {
        title: "Create your own client",
        text: "With its own secrets, clock, business user and funded account, isolated from other clients.",
        command: curlOf({ method: "POST", url: `${site.baseUrl}/sandbox/clients`, credentials: option }),
      },
    ];
  }
  return [
    createClient(site, credentials ? basicOption(credentials) : ownOption),
    ...registration(site, ownOption),
    ...authorization(site, ownOption, freshClient),
    webhooks(site, ownOption, false),
  ];
}

const ownOption = '-u "$CLIENT_ID:$CLIENT_SECRET"';

type Visitor = Pick<DemoClient, "clientId" | "provider" | "redirectUri" | "isTrusted">;

// A client made by POST /sandbox/clients. Nothing listens at its redirect address, so the browser keeps showing the code.
const freshClient: Visitor = {
  clientId: "$CLIENT_ID",
  provider: "partner",
  redirectUri: "http://localhost:8080/callback",
  isTrusted: true,
};

// The customer endpoint of another app doesn't know the person in these commands.
function createClient({ baseUrl }: Site, option: string): Step {
  const create = curlOf({ method: "POST", url: `${baseUrl}/sandbox/clients`, credentials: option });
  const json = { redirect_uris: [freshClient.redirectUri] };
  const change = curlOf({ method: "PUT", url: `${baseUrl}/sandbox/client`, credentials: ownOption, json });
  return {
    title: "Create a client for this shell",
    text: "With its own secrets, clock, business user and funded account, isolated from other clients.",
    command: [
      keepField(create, { field: "client_id", name: "CLIENT_ID" }),
      fieldOfAnswer({ field: "client_secret", name: "CLIENT_SECRET" }),
      change,
    ].join("\n"),
  };
}

function registration({ baseUrl }: Site, credentials: string): Step[] {
  const json = bodies["UserIntentCreation"]?.example;
  const create = curlOf({ method: "POST", url: `${baseUrl}/v1/user_intent`, credentials, json });
  return [
    {
      title: "Register a person",
      text: "A user intent describes the person to pay. Prints the response and stores its id for the next calls.",
      command: keepField(create, { field: "id", name: "INTENT" }),
    },
    {
      title: "Read the decision",
      text: "`pending` for a second, then `approved`. A webhook notifies your application, so it doesn’t need to poll.",
      command: curlOf({ method: "GET", url: `${baseUrl}/v1/user_intent/$INTENT`, credentials }),
    },
  ];
}

function webhooks({ baseUrl }: Site, credentials: string, isSent: boolean): Step {
  return {
    title: "See the signed webhook",
    text: isSent
      ? "Each delivery with its attempts: what was sent, what your endpoint answered, and when the next attempt is."
      : "No endpoint is set, so webhooks wait. Set one with `PUT /sandbox/webhook_endpoint`; then each attempt is listed here, with your endpoint's response.",
    command: curlOf({ method: "GET", url: `${baseUrl}/sandbox/webhooks`, credentials }),
  };
}

function authorization(
  { baseUrl, authUrl }: Site,
  credentials: string,
  { clientId, provider, redirectUri, isTrusted }: Visitor,
): Step[] {
  const query = new URLSearchParams({ response_type: "code", redirect_uri: redirectUri });
  const page = `${authUrl}/login/oauth/authorize?${query}&client_id=${clientId}&user_intent_id=$INTENT`;
  const json = { provider, provider_data: { customer_id: "customer-1" }, user_intent_id: "$INTENT" };
  const mint = curlOf({ method: "POST", url: `${baseUrl}/v1/partner/identity/verification`, credentials, json });
  const form = { grant_type: "authorization_code", code: "$CODE", redirect_uri: redirectUri };
  const exchange = curlOf({ method: "POST", url: `${baseUrl}/v1/oauth/token`, credentials, form });
  const after = `After Authorize, the browser goes to \`${redirectUri}\` with a code, even if nothing is listening there yet.`;
  return [
    {
      title: "Let the person authorize you",
      text: isTrusted
        ? `Verifies your customer and stores a token, which opens one visit within a minute. Until you name a customer endpoint, the sandbox vouches for everyone. Open the printed address in a browser. ${after}`
        : `Open the printed address in a browser. The phone on the page shows the texted code. ${after}`,
      command: isTrusted
        ? `${keepField(mint, { field: "token", name: "SESSION" })}\necho "${page}&session_token=$SESSION"`
        : `echo "${page}"`,
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

type ShellVariable = { field: string; name: string };

function keepField(command: string, variable: ShellVariable): string {
  return `ANSWER=$(${command})\necho "$ANSWER"\n${fieldOfAnswer(variable)}`;
}

function fieldOfAnswer({ field, name }: ShellVariable): string {
  return `${name}=$(echo "$ANSWER" | sed -E 's/.*"${field}":"([^"]+)".*/\\1/')`;
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
  const { isPartial, webhooksLateSeconds, reconciliation } = health;
  const answer = isPartial
    ? "Not responding for some applications. Until it is back, their calls are answered 503."
    : "Responding.";
  return [
    api,
    { name: "Database", state: isPartial ? "bad" : "good", text: answer },
    webhooksLateSeconds > lateSecondsMax
      ? { name: "Webhooks", state: "bad", text: "Delayed: the oldest due webhook has waited for more than a minute." }
      : { name: "Webhooks", ...goodUnless(isPartial, "Sent on time.") },
    booksCheck(reconciliation?.problems, isPartial),
  ];
}

function booksCheck(problems: number | undefined, isPartial: boolean): Check {
  const name = "Ledger";
  if (problems === undefined) return { name, state: "unknown", text: "Not reconciled yet." };
  return problems === 0
    ? { name, ...goodUnless(isPartial, "Balanced at the last reconciliation.") }
    : { name, state: "bad", text: "The last reconciliation found problems." };
}

function goodUnless(isPartial: boolean, text: string): Pick<Check, "state" | "text"> {
  return isPartial
    ? { state: "unknown", text: "Unknown while part of the database is down." }
    : { state: "good", text };
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
<p>${isSandbox ? "The person who started this program." : "The company that you have the agreement with."} Plainbook is part of Gangway, a reference integration under the MIT license, without any warranty.</p>`;
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
<p>One for each visit to the authorization page. It holds a random number, expires after four hours, and doesn’t track you.</p>
<h2>How long</h2>
<p>${isSandbox ? "Until the sandbox’s data folder is deleted." : "For as long as the law requires the operator to keep records of transfers."}</p>`;
}
