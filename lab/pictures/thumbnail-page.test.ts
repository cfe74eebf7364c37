import { expect, test } from "vitest";
import { thumbnailPage } from "./thumbnail-page.ts";

test("each page or state is one row of all its pictures", () => {
  const page = thumbnailPage(["sign-up-360-light.png", "dashboard-1280-dark.png", "sign-up-1280-light.png"]);
  expect([...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, name]) => name)).toEqual(["dashboard", "sign-up"]);
  expect(page).toContain("Every page and state: 2");
  expect([...page.matchAll(/<img src="(.*?)"/g)]).toHaveLength(3);
  expect(page).toContain("1280 px, dark");
});
