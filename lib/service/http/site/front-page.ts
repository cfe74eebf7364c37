import { html } from "hono/html";
import type { Html } from "./markup.ts";
import { quickstart } from "./quickstart.ts";
import type { Site } from "./site.ts";

/** What stands at the root of the API's address: what this is, and the first calls. */
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
