import { createElement, isValidElement, type ReactElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { CodeField } from "#components/ui/code-field.tsx";
import type { VisitView } from "#lib/service/operations/visits/read-visit.ts";
import { ConsentStep } from "./consent-step.tsx";
import { PageFrame } from "./page-frame.tsx";
import { VerificationStep } from "./verification-step.tsx";
import { VisitStep } from "./visit-step.tsx";

const action = async () => undefined;
const correct = async (previous: { dateOfBirth: string }) => previous;
const actions = { verify: action, resend: action, authorize: action, cancel: action, correct };
const common = { clientName: "Harbor", maskedPhone: "••• ••• 0123" };

test("the verification step has its published labels", () => {
  const html = render(
    createElement(VerificationStep, {
      visitId: "visit-1",
      view: {
        kind: "verification_code",
        ...common,
        problem: undefined,
        tries: 0,
        isResent: false,
        resendSeconds: 0,
        canResend: true,
        isCodeSent: true,
      },
      actions,
    }),
  );
  expect(html).toMatch(/<label[^>]*for="code"[^>]*>Verification code</);
  expect(html).toMatch(/<input[^>]*id="code"[^>]*name="code"|<input[^>]*name="code"[^>]*id="code"/);
  expect(buttonsOf(html)).toEqual(["Verify", "Resend code", "Cancel"]);
  // The attributes that work in a browser without scripts.
  const pattern = new RegExp(`^(?:${/pattern="([^"]*)"/.exec(html)?.[1]})$`, "v");
  const longest = Number(/maxLength="(\d+)"/i.exec(html)?.[1]);
  for (const typed of ["123456", "123 456", "123-456", "G-123456", " G-123 456 "]) {
    expect(typed).toMatch(pattern);
    expect(longest).toBeGreaterThanOrEqual(typed.length);
  }
  for (const typed of ["", "12345", "G-", "1234567"]) expect(typed).not.toMatch(pattern);
});

test.each(["texts_used_up", "phone_blocked", "code_not_sent"] as const)(
  "the verification step of a visit without a code says so (%s)",
  (kind) => {
    const html = renderVisit({
      kind: "verification_code",
      ...common,
      problem: { kind },
      tries: 0,
      isResent: false,
      resendSeconds: 0,
      canResend: kind === "code_not_sent",
      isCodeSent: false,
    });
    expect(html).not.toMatch(/We texted you|expired/);
    expect(html).toContain("We couldn’t text a code to the number ending in");
  },
);

test("each response counts as new to the code field, even if the view is unchanged", () => {
  const view = {
    kind: "verification_code" as const,
    ...common,
    problem: { kind: "code_expired" as const },
    tries: 0,
    isResent: false,
    resendSeconds: 0,
    canResend: true,
    isCodeSent: true,
  };
  const answer = () => propsOf(VerificationStep({ visitId: "visit-1", view, actions }), CodeField)?.["answer"];
  expect(answer()).toBeDefined();
  expect(answer()).not.toBe(answer());
});

// On arrival, this phone may have been out of texts, so the first text can come from the button.
test("the verification step after a resend says that earlier codes no longer work", () => {
  const html = renderVisit({
    kind: "verification_code",
    ...common,
    problem: undefined,
    tries: 0,
    isResent: true,
    resendSeconds: 30,
    canResend: true,
    isCodeSent: true,
  });
  expect(html).toContain("Earlier codes no longer work here.");
});

test("a withdrawn visit's page says that the client isn't available, and leads nowhere", () => {
  const view = { kind: "withdrawn", clientName: "Harbor" } as const;
  const html = renderVisit(view);
  expect(html).toContain("You can’t connect Harbor right now");
  expect(html).not.toMatch(/<a |<form|<button/);
});

test("only a sandbox's pages say that no real money moves", () => {
  const pageOf = (isSandbox: boolean) => render(createElement(PageFrame, { isSandbox }));
  expect(pageOf(true)).toContain("No real money moves here.");
  expect(pageOf(false)).not.toMatch(/sandbox|money/);
});

test("the consent step has its published labels, and shows the client, its permissions, and the person", () => {
  const html = render(
    createElement(ConsentStep, {
      visitId: "visit-1",
      view: {
        kind: "consent",
        clientId: "demo-harbor",
        ...common,
        redirectHost: "harbor.example",
        personName: "Marta Quay",
        maskedEmail: "m•••@example.com",
        isBusiness: false,
        isBeingChecked: false,
      },
      siteUrl: "https://plainbook.example",
      actions,
    }),
  );
  expect(buttonsOf(html)).toEqual(["Authorize", "Cancel"]);
  for (const text of ["Harbor can", "see your accounts", "Marta Quay", "0123", "harbor.example"]) {
    expect(html).toContain(text);
  }
});

test.each([
  {
    isBusiness: false,
    may: "send money to your wallet",
    mayNot: "take money out of your wallet",
    never: "pay people",
  },
  {
    isBusiness: true,
    may: "pay people from your business’s accounts",
    mayNot: "see your Social",
    never: "your wallet",
  },
])("consent (business: $isBusiness) lists permissions and prohibitions, both logos, terms and privacy", (whose) => {
  const view = {
    kind: "consent" as const,
    clientId: "a-client",
    ...common,
    redirectHost: "harbor.example",
    personName: "Marta Quay",
    maskedEmail: "m•••@example.com",
    isBusiness: whose.isBusiness,
    isBeingChecked: false,
  };
  const siteUrl = "https://plainbook.example";
  const html = render(createElement(ConsentStep, { visitId: "visit-1", view, logo: "/logo.svg", siteUrl, actions }));
  const [may = "", mayNot = ""] = html.match(/<ul.*?<\/ul>/gs) ?? [];
  expect(may).toContain(whose.may);
  expect(mayNot).toContain(whose.mayNot);
  expect(html).not.toContain(whose.never);
  const sources = [...html.matchAll(/<img[^>]* src="([^"]+)"/g)].map(([, source]) => source);
  expect(sources).toEqual(["/logo.svg", "/service/icon.svg"]);
  expect(html).toContain('href="https://plainbook.example/terms"');
  expect(html).toContain('href="https://plainbook.example/privacy"');
  expect(render(createElement(ConsentStep, { visitId: "visit-1", view, siteUrl, actions }))).toMatch(/>H<\/span>/);
});

test("each button has its own form with the visit's id, so it works without JavaScript", () => {
  const view = { kind: "verification_code" as const, ...common, problem: undefined, tries: 0 };
  const html = render(
    createElement(VerificationStep, {
      visitId: "visit-1",
      view: { ...view, isResent: false, resendSeconds: 0, canResend: true, isCodeSent: true },
      actions,
    }),
  );
  const forms = html.match(/<form.*?<\/form>/gs) ?? [];
  expect(forms).toHaveLength(3);
  for (const form of forms) {
    expect(form).toContain('<input type="hidden" name="visit" value="visit-1"/>');
    expect(form).toMatch(/<button[^>]*type="submit"/);
  }
});

test("a visit with an unspent code has a button that continues to the client", () => {
  const html = renderVisit({ kind: "authorized", clientName: "Harbor" });
  expect(html).toContain("You’ve authorized Harbor");
  expect(buttonsOf(html)).toEqual(["Continue to Harbor"]);
  expect(html).toContain('<input type="hidden" name="visit" value="visit-1"/>');
});

test.each(["cancelled", "expired"] as const)("the page of a visit that is %s links back to the client", (kind) => {
  const html = renderVisit({ kind, clientName: "Harbor", returnTo: "https://harbor.example/callback?error=x" });
  expect(html).toMatch(/<a href="https:\/\/harbor\.example\/callback\?error=x"[^>]*>Return to Harbor<\/a>/);
});

test("the page of a visit unknown to this browser doesn't say what became of it", () => {
  expect(renderVisit({ kind: "unknown" })).not.toContain("authorized");
});

function renderVisit(view: VisitView): string {
  const props = { visitId: "visit-1", view, messages: undefined, logo: undefined, siteUrl: "", actions };
  return render(createElement(VisitStep, props));
}

function render(element: ReactElement): string {
  return renderToStaticMarkup(element);
}

/** The props of the first element of this type in an element's own children. */
function propsOf(node: ReactNode, type: unknown): Record<string, unknown> | undefined {
  if (Array.isArray(node)) return node.map((child) => propsOf(child, type)).find(Boolean);
  if (!isValidElement<{ children?: ReactNode }>(node)) return undefined;
  return node.type === type ? node.props : propsOf(node.props.children, type);
}

function buttonsOf(html: string): string[] {
  return [...html.matchAll(/<button[^>]*>(.*?)<\/button>/gs)].map(([, inner = ""]) =>
    inner.replace(/<[^>]*>/g, "").trim(),
  );
}
