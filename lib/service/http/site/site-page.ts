import { html } from "hono/html";

export type Assets = { styles: string; script: string; fonts: string[] };

export type SitePage = {
  title: string;
  description: string;
  path: string;
  assets: Assets;
  isSandbox: boolean;
  isWide?: boolean;
  body: Html;
};

const links = [
  ["/docs", "Docs"],
  ["/status", "Status"],
  ["/openapi.json", "OpenAPI"],
] as const;

export function sitePage({ title, description, path, assets, isSandbox, isWide = false, body }: SitePage): string {
  return String(html`<!doctype html>
<html lang="en" data-app="service">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
${assets.fonts.map((font) => html`<link rel="preload" as="font" type="font/woff2" href="${font}" crossorigin>\n`)}<link rel="stylesheet" href="${assets.styles}">
<script src="${assets.script}" defer></script>
</head>
<body${isWide ? html` class="wide"` : ""}>
<a class="skip" href="#main">Skip to the content</a>
<header class="site-head">
<a class="mark" href="/"${current("/", path)}>${mark}Plainbook</a>
<nav class="site-links" aria-label="Plainbook">${links.map(([href, label]) => html`<a href="${href}"${current(href, path)}>${label}</a>`)}</nav>
${isSandbox ? html`<p class="sandbox">Sandbox: no real money</p>` : ""}
</header>
<main id="main" tabindex="-1">${body}</main>
<footer class="site-foot">${isSandbox ? html`<p>This Plainbook is run by the person who started Gangway. It is not a bank or a company.</p>` : ""}<p class="foot-line"><a href="/terms"${current("/terms", path)}>Terms</a> <a href="/privacy"${current("/privacy", path)}>Privacy</a></p></footer>
</body>
</html>
`);
}

function current(href: string, path: string): Html | "" {
  return href === path ? html` aria-current="page"` : "";
}

// The same mark as in components/authorization/page-frame.tsx.
const mark = html`<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" fill="none"><path d="M1 5h30M16 5v25" class="stroke-ink" stroke-width="2.6"/><path d="M3 12h8M3 18.5h8M21 12h8M21 18.5h8" class="stroke-accent" stroke-width="2.2"/></svg>`;

/** A sandbox's public client, whose credentials are in .env.example or derived from its id. */
export type DemoClient = {
  clientId: string;
  clientSecret: string;
  provider: string;
  redirectUri: string;
  customersUrl: string | undefined;
  /** Whether visits need a session token. */
  isTrusted: boolean;
  webhookUrl: string | undefined;
};

export type Site = {
  baseUrl: string;
  /** The origin of the authorization pages and the console. */
  authUrl: string;
  isSandbox: boolean;
  /** Undefined in production, and in a sandbox whose client has a secret of its own. */
  credentials: DemoClient | undefined;
};

/** Escaped HTML. */
export type Html = ReturnType<typeof html>;

/** Our own text; parts in backticks become code. */
export function prose(text: string): Html[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** Text with a copy button, if scripts run. */
export function copyable(text: string, name: string): Html {
  return html`<figure class="copyable"><pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre><button type="button" class="copy needs-script" data-copy aria-label="Copy: ${name}">Copy</button></figure>`;
}

export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
