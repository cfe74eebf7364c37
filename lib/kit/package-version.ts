import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";

// Works in a checkout, in an image and in the package.
const description = findPackageJSON("..", import.meta.url);

export const { version: packageVersion } = JSON.parse(readFileSync(description ?? "package.json", "utf8")) as {
  version: string;
};
