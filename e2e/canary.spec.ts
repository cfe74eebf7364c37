import { expect, type Page } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { test } from "./journey.ts";
import { walkFromSignUpToPayment } from "./sign-up-to-payment.ts";

// The prefixes of session tokens, codes, tokens, visit, client and webhook secrets.
const secret = /\b(?:gw[a-z]_[\w-]{20,}|whsec_[\w+/-]{20,})/;
const ssn = "123456789";

// From sign-up to payment, every page passes `checkPage`, and no secret or personal data reaches a page, script,
// storage, referrer, or URL that a browser keeps.
test("no response or browser storage holds an SSN, token, code, or secret, and every page is accessible", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  const watched = new Set<Page>();
  const bodies: Promise<{ url: string; text: string }>[] = [];
  const problems: string[] = [];

  function watch(watchedPage: Page): void {
    watched.add(watchedPage);
    watchedPage.on("response", (response) => {
      const url = response.url();
      // A redirect has no body, and its URL can carry a code or session token once.
      if (response.status() >= 300 && response.status() < 400) return;
      // A stream never ends, and only names topics (lib/partner/live/live-event.ts).
      if (response.headers()["content-type"] === "text/event-stream") return;
      bodies.push(
        response.text().then(
          (text) => ({ url, text }),
          () => ({ url, text: "" }),
        ),
      );
    });
  }

  async function check(watchedPage: Page, name: string): Promise<void> {
    if (!watched.has(watchedPage)) watch(watchedPage);
    const kept = await watchedPage.evaluate(() =>
      JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        document.cookie,
        document.referrer,
        location.href,
        history.state,
        document.documentElement.outerHTML.replace(/<input[^>]*>/g, ""),
      ]),
    );
    if (secret.test(kept)) problems.push(`a secret is stored at ${name}`);
    if (kept.includes(ssn) || kept.includes(seller.password)) problems.push(`an SSN or password is stored at ${name}`);
    expect(await watchedPage.evaluate(() => indexedDB.databases())).toEqual([]);
    await checkPage(watchedPage, name);
  }

  watch(page);
  await walkFromSignUpToPayment({ browser, page, seller, stack, check });

  const answers = await Promise.all(bodies);
  for (const { url, text } of answers) {
    if (secret.test(text)) problems.push(`a secret is in ${url}`);
    if (text.includes(ssn) || text.includes(seller.password)) problems.push(`an ssn or a password is in ${url}`);
  }
  expect(problems).toEqual([]);
  // Proves that responses were searched.
  expect(answers.some(({ text }) => text.includes(seller.lastName))).toBe(true);
  expect(answers.filter(({ url }) => url.endsWith(".js")).length).toBeGreaterThan(5);
});
