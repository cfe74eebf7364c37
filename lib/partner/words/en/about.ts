import { brandName } from "../../../../brand/name.ts";

/** How the app describes itself to browsers and search engines. */
export const about = {
  title: `${brandName}: a marketplace that pays its sellers`,
  description: "A marketplace that pays its sellers: the reference integration of Gangway.",
} as const;
