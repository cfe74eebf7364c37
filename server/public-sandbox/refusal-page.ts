import { partnerConfig } from "../../lib/partner/config.ts";
import { withinRequest } from "../../lib/partner/requests/current-action.ts";
import { currentLocale, words } from "../../lib/partner/words/words.ts";
import { answerPage, answerText, logRefusal, wantsHtml } from "../responses.ts";
import type { App } from "../roles.ts";
import type { Admitted } from "../show-page.ts";

const statuses = {
  full: 503,
  busy: 503,
  too_many_of_address: 429,
  too_fast: 429,
  used_up: 429,
  over: 410,
  no_browser: 403,
  left_out: 404,
  broken: 500,
};
export type RefusalKind = keyof typeof statuses;

/** Tells visitors in their language why they get no page: plain HTML for a browser, else one line. */
export function answerRefusal(app: App, admitted: Admitted, kind: RefusalKind): void {
  const { request, response } = admitted;
  const status = statuses[kind];
  logRefusal(request, admitted, status);
  if (status === 429 || status === 503) response.setHeader("retry-after", kind === "too_fast" ? "10" : "60");
  withinRequest(request, () => {
    const t = words("publicSandbox");
    const [title, text] = [t(`${kind}.title`), t(`${kind}.text`)];
    if (!wantsHtml(request)) return answerText(response, status, `${title}. ${text}`);
    const home = `<a href="${partnerConfig().baseUrl}/">${t("home")}</a>`;
    const body = `<h1>${title}</h1>\n<p>${text}</p>\n<p>${home}</p>`;
    answerPage(response, app, { status, title, body, language: currentLocale() });
  });
}
