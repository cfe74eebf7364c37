import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { sentences } from "#brand/sentences.ts";
import { callbackProblems } from "#lib/partner/authorization/finish-authorization.ts";
import { startProblem } from "#lib/partner/authorization/start-authorization.ts";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import { metadata } from "../../app/(partner)/page.tsx";
import { GET as readManifest } from "../../app/(partner)/partner/manifest.webmanifest/route.ts";
import { CallbackProblemPage } from "./callback/callback-problem-page.tsx";
import { Home } from "./home/home.tsx";
import { SignIn } from "./people/sign-in.tsx";
import { SignUp } from "./people/sign-up.tsx";
import { ServiceNameProvider } from "./service-name.tsx";

// The guarantee: with another name in brand/name.ts, here "Windrose", the app says that name and never the old one.

const action = async () => unsentForm;

const pages: Record<string, ReactNode> = {
  home: createElement(Home, { role: undefined }),
  "sign-up": createElement(SignUp, { action }),
  "sign-in": createElement(SignIn, {
    action,
    demoAction: action,
    demoPeople: [],
    returnTo: "/",
    isPhoneProven: false,
    isSessionOver: true,
  }),
  "what came back from the service": callbackProblems.map((problem) =>
    createElement(CallbackProblemPage, { key: problem, problem, again: action, forward: { href: "/", label: "On" } }),
  ),
};

test.each(Object.entries(pages))("%s", (_page, children) => {
  expectOtherName(renderToStaticMarkup(createElement(ServiceNameProvider, { name: "Other Books", children })));
});

test("titles, the manifest and what a refused form says", async () => {
  expect(metadata.title).toEqual({ absolute: sentences.title });
  expectOtherName(sentences.title);
  expectOtherName(await readManifest().text());
  expectOtherName(sentences.footer.what);
  const refused = { kind: "refused", status: 502, reason: "customer_endpoint_failed" } as const;
  expectOtherName(startProblem({ ...refused, description: "", errors: [], requestId: undefined }));
});

function expectOtherName(text: string): void {
  expect(text).toContain("Windrose");
  expect(text).not.toContain("Harbor");
}
