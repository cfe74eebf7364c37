import { readFileSync } from "node:fs";

/** A locked package: its name, its license as an SPDX expression, and whether only development needs it. */
export type LicensedPackage = { name: string; license: string; isForDevelopment: boolean };

const permissive = ["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense"];

// Licenses with special terms, each with the packages that were judged, and why they are acceptable.
const exceptions: { license: string; packages: RegExp; why: string }[] = [
  {
    license: "LGPL-3.0-or-later",
    packages: /^@img\/sharp-/,
    why: "libvips, optional in next, loaded as a shared library",
  },
  { license: "MPL-2.0", packages: /^(?:lightningcss|axe-core)/, why: "used unmodified, at build time or in tests" },
  { license: "Python-2.0", packages: /^argparse$/, why: "permissive; only in tests, below the client generators" },
  { license: "CC-BY-4.0", packages: /^caniuse-lite$/, why: "data about browsers, used at build time" },
];

/** Every locked package of every platform, from package-lock.json. */
export function readLicenses(): LicensedPackage[] {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { license?: string; dev?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, { license = "none", dev = false }]) => {
      return { name: path.slice(path.lastIndexOf("node_modules/") + 13), license, isForDevelopment: dev };
    });
}

/** The packages without an accepted license, each as a sentence. */
export function findLicenseProblems(packages: LicensedPackage[]): string[] {
  return packages.filter((one) => !isAccepted(one)).map(({ name, license }) => `${name} has the license ${license}.`);
}

// One alternative (OR) is enough; combined terms (AND) must all be accepted.
function isAccepted({ name, license }: LicensedPackage): boolean {
  const isTermAccepted = (term: string) =>
    permissive.includes(term) || exceptions.some((one) => one.license === term && one.packages.test(name));
  return license
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every(isTermAccepted));
}
