import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { callbackProblems } from "#lib/partner/authorization/finish-authorization.ts";
import { startProblem } from "#lib/partner/authorization/start-authorization.ts";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import { catalogs } from "#lib/partner/words/catalog.ts";
import { locales } from "#lib/partner/words/locales.ts";
import { generateMetadata } from "../../app/(partner)/page.tsx";
import { GET as readManifest } from "../../app/(partner)/partner/manifest.webmanifest/route.ts";
import { CallbackProblemPage } from "./callback/callback-problem-page.tsx";
import { Home } from "./home/home.tsx";
import { SignIn } from "./people/sign-in.tsx";
import { SignUp } from "./people/sign-up.tsx";
import { withWords } from "./testing/with-words.tsx";

// With another name in brand/name.ts, here "Windrose", the app uses only that name.

const action = async () => unsentForm;

const pages: Record<string, ReactNode> = {
  home: createElement(Home, { role: undefined }),
  "sign-up": createElement(SignUp, { action }),
  "sign-in": (["hasAccount", "ended", "noCode"] as const).map((notice) =>
    createElement(SignIn, {
      key: notice,
      notice,
      action,
      demoAction: action,
      demoPeople: [],
      returnTo: "/",
      isPhoneProven: false,
    }),
  ),
  "what came back from the service": callbackProblems.map((problem) =>
    createElement(CallbackProblemPage, { key: problem, problem, again: action, forward: { href: "/", label: "On" } }),
  ),
};

test.each(
  Object.entries(pages).flatMap(([page, children]) => locales.map((locale) => [page, locale, children] as const)),
)("%s in %s uses the new name", (_page, locale, children) =>
  expectOtherName(renderToStaticMarkup(withWords("Other Books", children, locale))),
);

test("titles, the manifest, and a refused form's error use the new name", async () => {
  expectOtherName(JSON.stringify(generateMetadata().title));
  expectOtherName(await readManifest().text());
  for (const locale of locales) expectOtherName(catalogs[locale].frame.footer.what);
  const refused = { kind: "refused", status: 502, reason: "customer_endpoint_failed" } as const;
  expectOtherName(startProblem({ ...refused, description: "", errors: [], requestId: undefined }));
});

function expectOtherName(text: string): void {
  expect(text).toContain("Windrose");
  expect(text).not.toContain("Harbor");
}
