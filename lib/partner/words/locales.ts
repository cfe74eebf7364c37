/** Each needs a folder of sentences (docs/changing.md). The first is the default for every other language. */
export const locales = ["en-US", "es-US"] as const;

export type Locale = (typeof locales)[number];

export const languageCookie = "harbor_language";

/** The language that the reader chose here, else the first of the browser's languages that Harbor has. */
export function chooseLocale({ cookie, accepted }: { cookie: string; accepted: string }): Locale {
  const chosen = cookie.split("; ").find((pair) => pair.startsWith(`${languageCookie}=`));
  const known = locales.find((locale) => chosen === `${languageCookie}=${locale}`);
  return (
    known ??
    preferred(accepted)
      .map(localeOf)
      .find((locale) => locale !== undefined) ??
    locales[0]
  );
}

function preferred(accepted: string): string[] {
  return accepted
    .split(",")
    .map((range) => {
      const [tag = "", quality] = range.trim().split(/\s*;\s*q=/);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}

function localeOf(tag: string): Locale | undefined {
  const [language] = tag.toLowerCase().split("-");
  return locales.find((locale) => locale.startsWith(`${language}-`));
}
