import { html } from "hono/html";
import type { Html } from "./markup.ts";

/** What a person agrees to who authorizes an application here: said as it is, for a service that runs on one machine. */
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

/** Which data are kept, where and for how long. */
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
