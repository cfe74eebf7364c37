// Replaces brand/name.ts in tests named *.other-brand.test.ts (vitest.config.ts).
export const brandName = "Windrose";
