import { writeFileSync } from "node:fs";
import { writeChecksPage } from "./checks-page.ts";

// `npm run checks:page`: writes docs/checks.md from the rules and drills.
writeFileSync("docs/checks.md", writeChecksPage());
