import { findLicenseProblems, readLicenses } from "./licenses.ts";

// `npm run licenses` lists the locked packages by license and fails on one that isn't accepted in licenses.ts.

const packages = readLicenses();
const byLicense = [...Map.groupBy(packages, ({ license }) => license)].sort(([first], [second]) =>
  first.localeCompare(second),
);
for (const [license, licensed] of byLicense) {
  const names = (isForDevelopment: boolean) =>
    [...new Set(licensed.filter((one) => one.isForDevelopment === isForDevelopment).map(({ name }) => name))].join(
      ", ",
    );
  console.log(
    `${license} (${licensed.length})\n  runtime: ${names(false) || "-"}\n  development: ${names(true) || "-"}`,
  );
}
const problems = findLicenseProblems(packages);
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
