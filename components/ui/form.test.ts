import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { FieldLink } from "./error-summary.tsx";
import { Field } from "./field.tsx";
import { Money } from "./money.tsx";
import { TextInput } from "./text-input.tsx";

test("an invalid field references its hint and error", () => {
  const input = createElement(TextInput, { id: "phone", invalid: true });
  const html = renderToStaticMarkup(
    Field({ label: "Phone", htmlFor: "phone", hint: "Ten digits", error: "Too short", children: input }),
  );
  expect(html).toContain('for="phone"');
  expect(html).toContain('aria-invalid="true"');
  expect(html).toContain('aria-describedby="phone-error phone-hint"');
  expect(html).toContain('id="phone-error"');
  expect(html).toContain('id="phone-hint"');
});

test("a valid field isn't marked invalid", () => {
  expect(renderToStaticMarkup(createElement(TextInput, { id: "phone" }))).not.toContain('aria-invalid="');
});

test("an error's link opens the closed section around its field, which couldn't be focused otherwise", () => {
  const section = { open: false };
  const focus = vi.fn(() => section.open);
  vi.stubGlobal("document", { getElementById: () => ({ closest: () => section, focus }) });
  onTestFinished(() => void vi.unstubAllGlobals());
  FieldLink({ field: "metadata.0.key", children: "Enter a key." }).props.onClick({ preventDefault: () => {} });
  expect(focus.mock.results).toEqual([{ type: "return", value: true }]);
});

test.each([
  [0, false, "$0.00"],
  [1, false, "$0.01"],
  [123_456_789, false, "$1,234,567.89"],
  [-1_050, false, "\u2212$10.50"],
  [2_000, true, "+$20.00"],
  [-2_000, true, "\u2212$20.00"],
  [0, true, "$0.00"],
])("%i cents (signed: %s) are formatted as %s", (cents, sign, text) => {
  expect(renderToStaticMarkup(createElement(Money, { cents, sign }))).toContain(`>${text}<`);
});
