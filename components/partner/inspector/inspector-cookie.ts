// The server reads these cookies, so that the first render is correct.

export const inspectorCookie = "harbor_inspector";
/** Single-letter shortcuts can be switched off (WCAG 2.1.4). */
export const inspectorKeyCookie = "harbor_inspector_key";

const rememberedSeconds = 30 * 24 * 60 * 60;

export function remember(cookie: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${cookie}=${value}; path=/; samesite=lax; max-age=${rememberedSeconds}`;
}
