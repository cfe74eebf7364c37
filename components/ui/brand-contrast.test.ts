import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

// WCAG 2.2: 4.5 to 1 for text, 3 to 1 for the outline of a control.
const textRatioMin = 4.5;
const outlineRatioMin = 3;

const tones = ["info", "success", "warning", "danger"];
const textPairs = [
  ...["canvas", "surface", "sunken"].flatMap((ground) => [
    ["ink", ground],
    ["ink-soft", ground],
    ["accent", ground],
    ["danger", ground],
  ]),
  ["accent", "accent-soft"],
  ["on-primary", "primary"],
  ["on-primary", "primary-hover"],
  ...tones.flatMap((tone) => [
    [tone, `${tone}-soft`],
    [tone, "surface"],
    ["ink", `${tone}-soft`],
    ["accent", `${tone}-soft`],
  ]),
];

describe.each(["brand/colors.css", "app/plainbook-colors.css"])("%s", (file) => {
  const [light = "", dark = ""] = readFileSync(file, "utf8").split("@media (prefers-color-scheme: dark)");
  const themes = { light: colorsOf(light), dark: { ...colorsOf(light), ...colorsOf(dark) } };

  describe.each(Object.entries(themes))("%s", (_theme, colors) => {
    test.each(textPairs)("%s is readable on %s", (ink = "", ground = "") => {
      expect(contrast(colors[ink], colors[ground])).toBeGreaterThanOrEqual(textRatioMin);
    });

    test.each(["canvas", "surface"])("a control's outline is visible on %s", (ground) => {
      expect(contrast(colors["line-strong"], colors[ground])).toBeGreaterThanOrEqual(outlineRatioMin);
    });
  });
});

function colorsOf(css: string): Record<string, string> {
  return Object.fromEntries(
    [...css.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name = "", hex = ""]) => [name, hex]),
  );
}

function contrast(one = "", other = ""): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
