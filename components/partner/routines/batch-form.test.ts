import { afterEach, expect, test, vi } from "vitest";
import { restoreList } from "./batch-form.tsx";

afterEach(() => void vi.unstubAllGlobals());

const draft = "email,amount,for\nmarta@example.com,9.50,Lamps\n";
const typed = "marta@example.com,12.00,Lamps";

test.each([
  ["a new list", "", "", typed, typed],
  ["an edited draft", draft, draft, typed, typed],
  ["a draft that was cleared", draft, draft, "", ""],
  ["a draft that wasn't edited", draft, draft, null, draft],
  ["a list edited before the scripts ran", draft, "marta@example.com,15", typed, "marta@example.com,15"],
])("a reload shows what was typed: %s", (_case, defaultValue, value, stored, shown) => {
  vi.stubGlobal("sessionStorage", { getItem: () => stored });
  const list = { defaultValue, value };
  restoreList(list, "payments-1");
  expect(list.value).toBe(shown);
});
