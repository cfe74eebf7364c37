import { html } from "hono/html";
import { bodies } from "../../../contract/bodies.ts";
import type { Health } from "../../operations/read-health.ts";
import { basicOption, curlOf } from "./open-api.ts";
import { copyable, type Html, prose, type Site } from "./site-page.ts";

/** The front page, with the quickstart. */
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
<p>Send the person to <a href="/docs#openAuthorizationPage">the page where they authorize you</a>, <a href="/docs#issueTokens">exchange the code for tokens</a>, and <a href="/docs#createBookRoutine">pay</a>. The <a href="/docs#webhooks">webhooks</a> tell how each of these went.</p>
</section>`;
}

function credentialsSentence({ isSandbox, credentials }: Site): string {
  if (credentials)
    return "Copy these commands one after the other. The credentials are those of this sandbox and work as they are.";
  const whose = "with the id and secret of your client in CLIENT_ID and CLIENT_SECRET";
  return isSandbox
    ? `Copy these commands one after the other, ${whose}.`
    : `Your operator gives you a client. Then, ${whose}:`;
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

export function quickstart(site: Site): Html {
  return html`<ol class="steps">${quickstartSteps(site).map(
    ({ title, text, command }) => html`<li><h3>${title}</h3><p>${prose(text)}</p>${copyable(command, title)}</li>`,
  )}</ol>`;
}

const lateSecondsMax = 60;

type Check = { name: string; state: "good" | "bad" | "unknown"; text: string };

/** Whether no known check fails. */
export function isHealthy(health: Health): boolean {
  return checksOf(health).every(({ state }) => state !== "bad");
}

/** Unknown values are shown as unknown. */
export function statusPage(health: Health): Html {
  return html`
<p class="eyebrow">Status</p>
<h1>${isHealthy(health) ? "Plainbook is up" : "Plainbook needs its operator"}</h1>
<p class="lead">As it was when this page was asked for. Programs ask <a href="/healthz">/healthz</a> and <a href="/readyz">/readyz</a>.</p>
<dl class="checks">${checksOf(health).map(
    ({ name, state, text }) => html`<div><dt>${name}</dt><dd class="${state}">${text}</dd></div>`,
  )}</dl>`;
}

function checksOf(health: Health): Check[] {
  const api: Check = { name: "API", state: "good", text: "Answers." };
  if (health.kind === "database_unavailable") {
    return [
      api,
      { name: "Database", state: "bad", text: "Does not answer. Until it does, calls are refused with 503." },
      { name: "Webhooks", state: "unknown", text: "Not known while the database does not answer." },
      { name: "Books", state: "unknown", text: "Not known while the database does not answer." },
    ];
  }
  const { webhooksLateSeconds, reconciliation } = health;
  const isLate = webhooksLateSeconds > lateSecondsMax;
  return [
    api,
    { name: "Database", state: "good", text: "Answers." },
    {
      name: "Webhooks",
      state: isLate ? "bad" : "good",
      text: isLate ? "Are sent late: the oldest that is due has waited for more than a minute." : "Are sent in time.",
    },
    booksCheck(reconciliation?.problems),
  ];
}

function booksCheck(problems: number | undefined): Check {
  if (problems === undefined) return { name: "Books", state: "unknown", text: "Have not been compared yet." };
  return problems === 0
    ? { name: "Books", state: "good", text: "Balanced when they were last compared." }
    : { name: "Books", state: "bad", text: "Something did not balance when they were last compared." };
}

export function termsPage({ isSandbox }: { isSandbox: boolean }): Html {
  return html`
<h1>Terms</h1>
<p class="lead">${
    isSandbox
      ? "This Plainbook is a sandbox. Nothing here moves real money, and nothing you agree to here binds you."
      : "This Plainbook is run by an operator of its own. The agreement that binds you is the one that you have with them."
  }</p>
<h2>What it does</h2>
<p>Plainbook keeps accounts, checks who people are, and moves money between accounts when an application asks for it that its owner has authorized.</p>
<h2>What you allow</h2>
<p>The page on which you press Authorize lists what the application may do. It may do that and nothing else. Only a business can allow an application to make transfers; a person allows it to look, and receives.</p>
<h2>How it ends</h2>
<p>You end the connection in the application. From that moment its tokens are of no use. An authorization that is not renewed ends by itself after ten days.</p>
<h2>Who operates it</h2>
<p>Whoever started this program, on the machine on which it runs. Plainbook is a part of Gangway, a reference integration under the MIT license, which comes without any warranty.</p>`;
}

export function privacyPage({ isSandbox }: { isSandbox: boolean }): Html {
  return html`
<h1>Privacy</h1>
<p class="lead">${
    isSandbox
      ? "Please enter nothing real: this is a sandbox. What you type stays on the machine that runs it."
      : "What you type is kept by the operator of this service and is given to nobody but the application that you authorize."
  }</p>
<h2>What is kept</h2>
<p>Your name, phone, email address, postal address, date of birth and social security number; accounts and transfers; the text messages that were sent to you, and a photo of your ID where one was asked for. The social security number, the date of birth, the postal address and the photo are encrypted in the database.</p>
<h2>Who gets to see it</h2>
<p>An application that you authorize sees your name, email address, phone number, status and accounts. It never sees your social security number, your date of birth or a photo of your ID from here. No page loads anything from anybody else: there is no analytics, no advertising and no third party.</p>
<h2>Cookies</h2>
<p>One for each visit to the page where you authorize. It holds a random number, ends after half an hour and follows you nowhere.</p>
<h2>How long</h2>
<p>${isSandbox ? "Until whoever runs the sandbox deletes its data folder." : "For as long as the law asks the operator to keep records of transfers."}</p>`;
}
