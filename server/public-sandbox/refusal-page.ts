import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { memoize } from "../../lib/kit/memoize.ts";
import { partnerConfig } from "../../lib/partner/config.ts";
import { withinRequest } from "../../lib/partner/requests/current-action.ts";
import { currentLocale, words } from "../../lib/partner/words/words.ts";
import { answerPlainly, logRefusal, wantsHtml } from "../plain-answers.ts";
import type { Admitted } from "../show-page.ts";

const statuses = {
  full: 503,
  busy: 503,
  too_many_of_address: 429,
  too_fast: 429,
  used_up: 429,
  over: 410,
  no_browser: 403,
  no_console: 404,
  broken: 500,
};
export type RefusalKind = keyof typeof statuses;

const colors = memoize(() => readFileSync("brand/colors.css", "utf8"));

/** Says in the reader's language why a visitor gets no page: in plain HTML to a browser, else in one line. */
export function answerRefusal(admitted: Admitted, kind: RefusalKind): void {
  const { request, response } = admitted;
  const status = statuses[kind];
  logRefusal(request, admitted, status);
  if (status === 429 || status === 503) response.setHeader("retry-after", kind === "too_fast" ? "10" : "60");
  withinRequest(request, () => {
    const t = words("publicSandbox");
    if (!wantsHtml(request)) return answerPlainly(response, status, `${t(`${kind}.title`)}. ${t(`${kind}.text`)}`);
    const nonce = randomBytes(16).toString("base64");
    response.writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
    });
    const sentences = { title: t(`${kind}.title`), text: t(`${kind}.text`), home: t("home") };
    response.end(pageOf({ ...sentences, nonce, language: currentLocale() }));
  });
}

// Sentences of ours alone, which hold nothing that HTML would read as a tag.
function pageOf(shown: { title: string; text: string; home: string; nonce: string; language: string }): string {
  const { title, text, home, nonce, language } = shown;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Gangway</title>
<style nonce="${nonce}">
${colors()}
body { max-width: 32rem; margin: 0 auto; padding: 3rem 1.25rem; background: var(--canvas); color: var(--ink); font: 1.125rem/1.6 system-ui, sans-serif; }
h1 { font-size: 2rem; line-height: 1.2; }
a { color: inherit; }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="${partnerConfig().baseUrl}/">${home}</a></p>
</main>
</body>
</html>
`;
}
