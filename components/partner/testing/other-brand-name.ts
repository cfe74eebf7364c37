// Takes the place of brand/name.ts in the tests named *.other-brand.test.ts (vitest.config.ts).
export const brandName = "Windrose";
