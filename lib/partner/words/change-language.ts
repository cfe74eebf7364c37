import * as z from "zod/mini";
import type { Partner } from "../partner.ts";
import { setLanguage } from "../requests/current-action.ts";
import type { ActionResult } from "../requests/form-state.ts";
import { unsentForm } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import { languageCookie, locales } from "./locales.ts";

const rememberedSeconds = 365 * 24 * 60 * 60;

export const languageFields = z.object({ language: z.enum(locales) });

/** Stores the language in this browser for a year, and switches to it right away. */
export async function submitLanguage(
  { config: { baseUrl } }: Partner,
  { language }: z.output<typeof languageFields>,
  _who: undefined,
  { cookies }: Browser,
): Promise<ActionResult> {
  const secure = new URL(baseUrl).protocol === "https:";
  cookies.set(languageCookie, language, {
    path: "/",
    sameSite: "lax",
    httpOnly: true,
    maxAge: rememberedSeconds,
    secure,
  });
  setLanguage(language);
  return unsentForm;
}
