import { expect, test } from "vitest";
import { findLicenseProblems, readLicenses } from "./licenses.ts";

test("every locked package has an accepted license", () => {
  expect(findLicenseProblems(readLicenses())).toEqual([]);
});

test("an unlisted license is refused, and so is an exception's license on another package", () => {
  const licensed = (name: string, license: string) => ({ name, license, isForDevelopment: false });
  const accepted = [
    licensed("a", "MIT OR GPL-3.0-only"),
    licensed("@img/sharp-win32-x64", "Apache-2.0 AND LGPL-3.0-or-later"),
  ];
  const refused = [licensed("b", "GPL-3.0-only"), licensed("c", "MIT AND MPL-2.0"), licensed("d", "none")];
  expect(findLicenseProblems([...accepted, ...refused])).toEqual([
    "b has the license GPL-3.0-only.",
    "c has the license MIT AND MPL-2.0.",
    "d has the license none.",
  ]);
});
