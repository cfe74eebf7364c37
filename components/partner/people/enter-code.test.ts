import { type ComponentProps, createElement, isValidElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import { withWords } from "../testing/with-words.tsx";
import { CodeForm } from "./code-forms.tsx";
import { EnterCode } from "./enter-code.tsx";
import { SandboxDevices } from "./sandbox-devices.tsx";

type Props = ComponentProps<typeof EnterCode>;

const action = async () => unsentForm;

const signIn: Props = {
  ...{ action, resend: action, changePhone: action, changeEmail: action },
  challenge: { step: "phone", codeSentAt: 0, secondsLeft: 0 },
  ...{ digits: 6, phoneEnding: "23", email: undefined, isPhoneFirst: false, returnTo: "/dashboard/payments" },
};

function Parts({ of, parts }: { of: Props; parts: ReactElement[] }) {
  parts.push(...EnterCode(of).props.children.filter(isValidElement));
  return null;
}

function partsOf(of: Props): ReactElement[] {
  const parts: ReactElement[] = [];
  renderToStaticMarkup(withWords("Other Books", createElement(Parts, { of, parts })));
  return parts;
}

test("the code form stays when it needs a longer code, so its explanation is shown", () => {
  const keyOf = (digits: number) => partsOf({ ...signIn, digits }).find(({ type }) => type === CodeForm)?.key;
  expect(keyOf(6)).toEqual(expect.any(String));
  expect(keyOf(10)).toBe(keyOf(6));
});

describe("a text that didn't arrive", () => {
  function shown(props: Props): string {
    const parts = partsOf(props).filter(({ type }) => type !== SandboxDevices);
    return renderToStaticMarkup(withWords("Other Books", createElement("div", null, ...parts)));
  }

  function linksOf(html: string): string[][] {
    return [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(?:<svg.*?<\/svg>)?(.*?)<\/a>/g)].map(([, ...link]) => link);
  }

  test.each([{}, { isPhoneFirst: true }])(
    "at sign-in can be resent, and starting over keeps the next page (%j)",
    (phone) => {
      const page = shown({ ...signIn, ...phone });
      expect(page).toContain("Resend the code, or");
      expect(page).not.toContain("already have an account");
      const address = "/sign-in?return_to=%2Fdashboard%2Fpayments";
      expect(linksOf(page)).toEqual([
        [address, "Start over"],
        [address, "start over"],
      ]);
    },
  );

  test("at sign-up may be due to the number", () => {
    const page = shown({ ...signIn, email: "marta@example.com", returnTo: "" });
    expect(page).toContain("Check your number");
    expect(linksOf(page)).toEqual([
      ["/sign-up", "Start over"],
      ["/sign-in", "sign in"],
    ]);
  });
});
