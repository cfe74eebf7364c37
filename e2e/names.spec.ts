import { expect, type Page } from "@playwright/test";
import { connectByHttp, onboardByHttp, openOfficeByHttp, payByHttp, signUpByHttp } from "./http-shortcuts.ts";
import { newPerson, test } from "./journey.ts";

// Each control's accessible name, in tab order.

const account = ["button Authorize again", "button Disconnect", "group Developer data"];

test("every control on Harbor's pages has the expected role and name", async ({ browser, page, seller, stack }) => {
  const { partnerUrl } = stack;
  const expectControls = async (of: Page, path: string, controls: string[]) => {
    await of.goto(partnerUrl + path);
    await expect.poll(() => controlsOf(of), { message: path }).toEqual(controls);
  };
  await expectControls(page, "/", ["link Sign up as a seller", "link Sign in as the operator"]);
  await expectControls(page, "/sign-up", [
    ...["textbox First name", "textbox Last name", "textbox Email", "textbox Mobile phone", "textbox Password"],
    ...["button Continue", "link Sign in"],
  ]);
  await expectControls(page, "/sign-in", [
    ...["textbox Email", "textbox Password", "button Continue", "link Sign up"],
    ...["button Olive Marsh, operator", "button Nils Ferry, seller", "button Ada Quay, seller"],
  ]);
  await page.getByRole("button", { name: "Olive Marsh, operator" }).click();
  await expect(page.getByRole("heading", { name: "Check your phone" })).toBeVisible();
  await expectControls(page, "/sign-in/code", [
    ...["link Start over", "textbox Verification code", "button Verify", "button Resend code", "link start over"],
  ]);

  await signUpByHttp(page, partnerUrl, seller);
  await expectControls(page, "/onboarding", [
    ...["textbox First name", "textbox Last name", "group Date of birth", "textbox Month", "textbox Day"],
    ...["textbox Year", "textbox Social Security number", "button Continue"],
  ]);
  const approved = await (await browser.newContext()).newPage();
  await onboardByHttp(approved, partnerUrl, newPerson());
  await expectControls(approved, "/onboarding/status", ["button Continue to authorize"]);
  await approved.getByRole("button", { name: "Continue to authorize" }).click();
  await expect
    .poll(() => controlsOf(approved))
    .toEqual(["button Authorize", "button Cancel", "link terms", "link our privacy page"]);
  await approved.context().close();

  const connected = await (await browser.newContext()).newPage();
  const payee = newPerson();
  await connectByHttp(connected, partnerUrl, payee);
  await expectControls(connected, "/dashboard", ["button Now pay yourself, as Olive", "link All payments", ...account]);
  await connected.context().close();
  const operator = await (await browser.newContext()).newPage();
  await openOfficeByHttp(operator, partnerUrl);
  await expectControls(operator, "/routines/new", [
    ...["link Payments", "combobox From", "combobox Seller", "textbox Amount in US dollars", "textbox What it's for"],
    "button Review",
  ]);
  const payment = new URL(await payByHttp(operator, partnerUrl, { seller: payee, amount: "1.23" })).pathname;
  await expectControls(operator, payment, ["link Payments", "button Copy payment ID", "button Copy transfer ID"]);
  await expectControls(operator, `/routines?search=${encodeURIComponent(payee.lastName)}`, [
    ...["link Pay a seller", "link Pay many sellers"],
    ...["searchbox Search", "combobox Status", "button Show", "link Sales of June"],
  ]);
  await operator.context().close();
});

/** The controls in the page's main area, as exposed to screen readers. */
async function controlsOf(page: Page): Promise<string[]> {
  const tree = await page.getByRole("main").ariaSnapshot();
  const roles =
    /^\s*- (link|button|textbox|searchbox|combobox|checkbox|radio|group)(?: "(.*?)")?(?: \[[^\]]*\])*(?::(?: (.*))?)?$/;
  return tree.split("\n").flatMap((line) => {
    const [, role, name, content] = roles.exec(line) ?? [];
    return role ? [`${role} ${name ?? content ?? ""}`.trim()] : [];
  });
}
