import { type ComponentProps, createElement, isValidElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import { withWords } from "../testing/with-words.tsx";
import { CodeForm } from "./code-forms.tsx";
import { EnterCode } from "./enter-code.tsx";

type Props = ComponentProps<typeof EnterCode>;

const action = async () => unsentForm;

const signIn: Props = {
  ...{ action, resend: action, changePhone: action, changeEmail: action },
  challenge: { step: "phone", codeSentAt: 0, secondsLeft: 0 },
  ...{ digits: 6, phoneEnding: "23", email: undefined, isPhoneFirst: false },
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
