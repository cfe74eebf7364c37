import { html } from "hono/html";

/** A piece of a page: what stands in it is escaped already. */
export type Html = ReturnType<typeof html>;

/** One of our own sentences; what stands between backticks is set as code. */
export function prose(text: string): Html[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** A command or a body to read, with a button that copies it; the button is there where scripts run. */
export function copyable(text: string, name: string): Html {
  return html`<figure class="copyable"><pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre><button type="button" class="copy needs-script" data-copy aria-label="Copy: ${name}">Copy</button></figure>`;
}

/** A value of JSON as people read it. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
