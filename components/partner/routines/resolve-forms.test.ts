import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import { withWords } from "../testing/with-words.tsx";
import { ArrivedForm, ConfirmedForm, EndForm } from "./resolve-forms.tsx";

const isPending = vi.hoisted(() => ({ now: false }));
vi.mock("../use-form-action.ts", () => ({
  useFormAction: () => ({ state: unsentForm, errorOf: () => undefined, formProps: {}, isPending: isPending.now }),
}));

const props = { action: async () => unsentForm, routineId: "r-1", label: "I checked." };
const forms = {
  arrived: createElement(ArrivedForm, props),
  end: createElement(EndForm, props),
  confirmed: createElement(ConfirmedForm, { ...props, button: "Send it again", risk: "It could be paid twice." }),
};

test.each(Object.entries(forms))("the form %s shows that its answer is pending", (_name, form) => {
  const busyAfter = (now: boolean) => {
    isPending.now = now;
    return renderToStaticMarkup(withWords("Other Books", form)).includes('aria-busy="true"');
  };
  expect([busyAfter(false), busyAfter(true)]).toEqual([false, true]);
});
