import { randomBytes } from "node:crypto";

/** Texts are escaped here; `wayBack.href` must be a registered address. */
type RefusalPage = {
  title: string;
  paragraphs: string[];
  wayBack?: { href: string; label: string };
  nonce: string;
};

/**
 * A self-contained HTML page for 400 and 503 responses, because Next's pages can't have those statuses. It needs no
 * script, file or font.
 */
function refusalPage({ title, paragraphs, wayBack, nonce }: RefusalPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Plainbook</title>
<link rel="icon" href="/service/icon.svg" type="image/svg+xml">
<style nonce="${escapeHtml(nonce)}">${style}</style>
</head>
<body>
<header>${mark}Plainbook</header>
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("\n")}
${wayBack ? `<a class="button" href="${escapeHtml(wayBack.href)}">${escapeHtml(wayBack.label)}</a>` : ""}
</main>
</body>
</html>
`;
}

export function answerRefusalPage(
  requestHeaders: Headers,
  content: Omit<RefusalPage, "nonce">,
  { status = 400, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  // The gateway's policy is in a request header and takes precedence, so its nonce must be used.
  const gatewayPolicy = requestHeaders.get("content-security-policy") ?? "";
  const nonce = /'nonce-([\w+/=]+)'/.exec(gatewayPolicy)?.[1] ?? randomBytes(16).toString("base64");
  return new Response(refusalPage({ ...content, nonce }), {
    status,
    headers: {
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; img-src 'self'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "x-content-type-options": "nosniff",
    },
  });
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

// The same mark as in components/authorization/page-frame.tsx.
const mark = `<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" fill="none">
<path d="M1 5h30M16 5v25" class="ink" stroke-width="2.6"/>
<path d="M3 12h8M3 18.5h8M21 12h8M21 18.5h8" class="accent" stroke-width="2.2"/>
</svg>`;

// The colors of app/plainbook-colors.css, with system fonts.
const style = `
:root { --canvas: #f4f3ef; --surface: #fefefc; --ink: #1b1b19; --soft: #55544e; --line: #d9d7ce; --accent: #26459c; }
@media (prefers-color-scheme: dark) {
  :root { --canvas: #131311; --surface: #1b1b18; --ink: #efeee7; --soft: #b0aea4; --line: #35342f; --accent: #a9bcff; }
}
* { box-sizing: border-box; margin: 0; }
body { max-width: 32rem; margin: 0 auto; padding: 2rem 1rem; background: var(--canvas); color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif; }
@media (min-width: 40rem) { body { padding-top: 3.5rem; } }
header { display: flex; justify-content: center; align-items: center; gap: .75rem; padding-bottom: 1.25rem;
  border-bottom: 4px double var(--ink); font: 1.6rem/1 Georgia, serif; }
.ink { stroke: var(--ink); }
.accent { stroke: var(--accent); }
main { margin-top: 2rem; padding: clamp(1.25rem, 4vw, 1.75rem); background: var(--surface); border: 1px solid var(--line); border-radius: .25rem; }
h1 { font: 400 1.875rem/1.15 Georgia, serif; letter-spacing: -.012em; text-wrap: balance; }
p { margin-top: 1rem; color: var(--soft); text-wrap: pretty; }
.button { display: inline-block; margin-top: 1.75rem; padding: .8rem 1.75rem; border-radius: .1875rem; background: var(--ink);
  color: var(--surface); font-size: 1.125rem; font-weight: 600; line-height: 1.25; text-decoration: none; }
.button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
