// Remembered in this browser. The server reads both, so that a page is right from the start.

/** That the inspector is open: the page leaves it room. */
export const inspectorCookie = "harbor_inspector";
/** That its key is off: a key of one letter may be pressed by chance, and by speech. */
export const inspectorKeyCookie = "harbor_inspector_key";

const rememberedSeconds = 30 * 24 * 60 * 60;

/** Remembers what somebody chose. */
export function remember(cookie: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${cookie}=${value}; path=/; samesite=lax; max-age=${rememberedSeconds}`;
}
