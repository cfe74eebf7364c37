import { globSync, readFileSync } from "node:fs";
import compile from "icu-minify/compile";
import { expect, test } from "vitest";
import { englishUiWords } from "#components/ui/ui-words.tsx";
import { catalogs } from "#lib/partner/words/catalog.ts";

// The type checker ensures that each language has exactly the same keys.

const { "en-US": english, "es-US": spanish } = catalogs;

test("each message takes the same parameters in both languages", () => {
  const ours = sentencesOf(english);
  const spanishByKey = new Map(sentencesOf(spanish));
  expect(ours.length).toBeGreaterThan(30);
  for (const [key, sentence] of ours)
    expect([key, valuesOf(spanishByKey.get(key) ?? "")]).toEqual([key, valuesOf(sentence)]);
});

test.each(["{count}", "<b>bold</b>", "{n, plural, one {{who} came} other {# came}}", "[service]"])(
  "a parameter that one language lacks is reported: %s",
  (sentence) => expect(valuesOf(sentence)).not.toEqual(valuesOf("a sentence")),
);

test("no message is empty, and no Spanish message equals the English one except for names", () => {
  const same = sentencesOf(english).filter(([key, sentence]) => new Map(sentencesOf(spanish)).get(key) === sentence);
  expect(same.map(([, sentence]) => sentence).filter((sentence) => / /.test(sentence))).toEqual([]);
  expect([...sentencesOf(english), ...sentencesOf(spanish)].filter(([, sentence]) => sentence.trim() === "")).toEqual(
    [],
  );
});

test("no Spanish message adds a period after a time, which already ends with one: 2:41 p.m.", () => {
  const ending = sentencesOf(spanish).filter(([, sentence]) => /<time><\/time>[.]/.test(sentence));
  expect(ending.map(([key]) => key)).toEqual([]);
});

test("components/ui has the same English text without Harbor", () => {
  expect(english.ui).toEqual(englishUiWords);
});

const sources = globSync(["{app/(partner),components,lib/partner,server/public-sandbox}/**/*.{ts,tsx}", "app/*.tsx"])
  .filter((file) => !/\.test\.ts|lib\/partner\/words\/(?:en|es)\//.test(file))
  .map((file) => readFileSync(file, "utf8"));

test("every message is used", () => {
  const unused = sentencesOf(english)
    .map(([key]) => key)
    .filter((key) => !key.startsWith("ui.") && !sources.some((source) => usesKey(source, key)));
  expect(unused).toEqual([]);
});

test("an unused message is reported", () => {
  expect(usesKey('const t = useWords("home"); t("lead")', "home.lead")).toBe(true);
  expect(usesKey('const t = useWords("home"); t("lead")', "home.eyebrow")).toBe(false);
  expect(usesKey('const t = useWords("code"); t("lead")', "home.lead")).toBe(false);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
  expect(usesKey('const t = useWords("home.story"); t(`steps.${step}`)', "home.story.steps.pay")).toBe(true);
});

/** Whether a source uses this key: a namespace of the catalog, and then the rest of the key or its beginning. */
function usesKey(source: string, key: string): boolean {
  const names = key.split(".");
  return names.some((_name, index) => {
    if (index === 0) return false;
    const prefix = names.slice(0, index).join(".");
    if (!new RegExp(`[wW]ords\\("${prefix.replaceAll(".", "[.]")}"\\)`).test(source)) return false;
    const rest = names.slice(index);
    if (source.includes(`"${rest.join(".")}"`)) return true;
    return rest.some((_part, end) =>
      source.includes(
        `\`${rest
          .slice(0, end)
          .map((part) => `${part}.`)
          .join("")}\${`,
      ),
    );
  });
}

function sentencesOf(catalog: object, path: string[] = []): [key: string, sentence: string][] {
  return Object.entries(catalog).flatMap(([key, inner]) =>
    typeof inner === "string"
      ? [[[...path, key].join("."), inner] as [string, string]]
      : sentencesOf(inner, [...path, key]),
  );
}

/** The names of a message's arguments and tags. */
function valuesOf(sentence: string): string[] {
  const placeholders = sentence.match(/\[service\]|%\w+/g) ?? [];
  return [...new Set([...namesOf(compile(sentence)), ...placeholders])].sort();
}

/** Reads the parts that `compile` returns: texts, `[argument]`, `[argument, type, options]` and `[tag, ...children]`. */
function namesOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.filter(Array.isArray).flatMap(([name, type, ...rest]: unknown[]) => {
    if (type === undefined) return [String(name)];
    if (typeof type !== "number" || type === 0) return [`<${name}>`, ...namesOf([type, ...rest])];
    return [String(name), ...Object.values(rest[0] ?? {}).flatMap(namesOf)];
  });
}
