import { readFileSync } from "node:fs";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, expect, test } from "vitest";
import { partner } from "../process-partner.ts";
import { unsentForm } from "../requests/form-state.ts";

// Outside a sandbox the bar doesn't exist, on any page or as an endpoint.

// Settings are read once, after this, so this process runs outside a sandbox.
beforeAll(() => {
  Object.assign(process.env, {
    PARTNER_SANDBOX: "off",
    PARTNER_CLIENT_ID: "harbor",
    PARTNER_CLIENT_SECRET: "own client secret",
    PARTNER_CUSTOMER_ENDPOINT_SECRET: "own endpoint secret",
    PARTNER_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
    PARTNER_ENCRYPTION_KEYS: `own-1:${Buffer.alloc(32, 7).toString("base64")}`,
    PARTNER_SESSION_SECRET: "an own session secret of 32 characters",
  });
});

test("the bar's content and the offers are missing", async () => {
  const [{ readBarContent }, { readPayOffer, readSellerOffer }, { listSwitchablePeople }] = await Promise.all([
    import("./bar-content.ts"),
    import("./switch-offers.ts"),
    import("./switchable-people.ts"),
  ]);
  const { createPerson } = await import("../testing/people.ts");
  expect(await readBarContent(partner())).toBeUndefined();
  expect(await readPayOffer(partner(), await createPerson())).toBeUndefined();
  expect(await readSellerOffer(partner(), "01a1fece-51b8-76f6-bc30-0b59463a4e67")).toBeUndefined();
  expect(await listSwitchablePeople(partner())).toEqual([]);
});

test("an action of the bar answers 404, before any other check", async () => {
  const { inSandbox, inSandboxSignedIn } = await import("./access.ts");
  for (const access of [inSandbox, inSandboxSignedIn(), inSandboxSignedIn({ role: "operator" })]) {
    await expect(access(partner(), {})).rejects.toThrow("404");
  }
});

test("each action of the bar checks this first", () => {
  const source = readFileSync("app/(partner)/sandbox-actions.ts", "utf8");
  const accesses = [...source.matchAll(/^export const \w+ = partnerAction\((\w+),/gm)].map(([, access]) => access);
  expect(accesses).toHaveLength((source.match(/^export /gm) ?? []).length);
  expect(new Set(accesses)).toEqual(new Set(["inSandbox", "anySignedIn", "operator"]));
  expect(source).toContain("const anySignedIn = inSandboxSignedIn();");
  expect(source).toContain('const operator = inSandboxSignedIn({ role: "operator" });');
});

test("no page has the bar, links to the service, or calls the money made up", async () => {
  const { SandboxTools } = await import("../../../app/(partner)/sandbox-tools.tsx");
  const { SiteFooter } = await import("../../../components/partner/frame/site-footer.tsx");
  expect(await SandboxTools()).toBeNull();
  const { withWords } = await import("../../../components/partner/testing/with-words.tsx");
  const changeLanguage = async () => unsentForm;
  const footer = renderToStaticMarkup(withWords("Other Books", createElement(SiteFooter, { changeLanguage })));
  expect(footer).not.toContain(process.env["PARTNER_SERVICE_BASE_URL"]);
  expect(footer).not.toContain("/console");
  expect(footer).not.toContain("No real money");
});
