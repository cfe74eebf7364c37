import { expect, test } from "vitest";
import { newTraceId } from "../../kit/trace.ts";
import { partner } from "../process-partner.ts";
import { currentAction, withinAction, withinRequest } from "../requests/current-action.ts";
import { Browser } from "../testing/browser.ts";
import { submitLanguage } from "./change-language.ts";
import { chooseLocale } from "./locales.ts";

test.each([
  ["nothing", "", "", "en-US"],
  ["Spanish of any country", "", "es-MX,es;q=0.9,en;q=0.8", "es-US"],
  ["English before Spanish", "", "en-GB,es;q=0.9", "en-US"],
  ["Spanish before English, written last", "", "en;q=0.5, es;q=0.9", "es-US"],
  ["a language that Harbor doesn't speak, then Spanish", "", "fr-CA,fr;q=0.9,es;q=0.3", "es-US"],
  ["Spanish refused", "", "es;q=0,en;q=0.1", "en-US"],
  ["an invalid list", "", ";;q=,=", "en-US"],
  ["a choice against the browser's languages", "a=b; harbor_language=es-US; c=d", "en-US", "es-US"],
  ["the choice of English", "harbor_language=en-US", "es", "en-US"],
  ["a choice of a language that isn't there", "harbor_language=fr-FR", "es", "es-US"],
  ["a cookie of a longer name", "other_harbor_language=es-US", "en", "en-US"],
])("the language for %s", (_what, cookie, accepted, locale) => {
  expect(chooseLocale({ cookie, accepted })).toBe(locale);
});

test("a chosen language is used at once, and for a year in this browser", async () => {
  const [browser, action] = [new Browser(), { traceId: newTraceId(), cause: "a test", locale: "en-US" as const }];
  await withinAction({ ...action }, async () => {
    await submitLanguage(partner(), { language: "es-US" }, undefined, browser);
    expect(currentAction()?.locale).toBe("es-US");
  });
  const [[name, cookie] = []] = [...browser.jar];
  expect(cookie).toMatchObject({ maxAge: 365 * 24 * 60 * 60, path: "/", httpOnly: true });
  const headers = { cookie: `${name}=${cookie?.value}`, "accept-language": "en" };
  withinRequest({ method: "GET", url: "/callback?code=secret", headers }, () => {
    expect(currentAction()).toMatchObject({ cause: "GET /callback", locale: "es-US" });
  });
});
