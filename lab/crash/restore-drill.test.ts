import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { archiveCommand, runRestoreDrill } from "./restore-drill.ts";

test("a database lost under load is restored to a point in time: everything before, nothing after", async () => {
  const report = await runRestoreDrill({ secondsEach: 1, bookers: 4, say: () => undefined });
  const { acknowledgedBefore, sentAfter, lost, fromAfter, strangers, problems, booksAgain } = report;
  expect({ lost, fromAfter, strangers, problems, booksAgain }).toEqual({
    lost: [],
    fromAfter: [],
    strangers: [],
    problems: [],
    booksAgain: true,
  });
  expect(Math.min(acknowledgedBefore, sentAfter)).toBeGreaterThan(10);
});

test("the documented archive_command resumes a copy cut short, repeats a finished one, and never replaces a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [segment, archived] = [join(folder, "segment"), join(folder, "00000001")];
  const archive = () => {
    const command = archiveCommand(folder).replaceAll("%p", segment).replaceAll("%f", "00000001");
    return { isArchived: spawnSync("sh", ["-c", command]).status === 0, text: readFileSync(archived, "utf8") };
  };
  writeFileSync(segment, "complete");
  writeFileSync(`${archived}.part`, "comp");
  expect(archive()).toEqual({ isArchived: true, text: "complete" });
  expect(archive()).toEqual({ isArchived: true, text: "complete" });
  writeFileSync(archived, "comp");
  expect(archive()).toEqual({ isArchived: false, text: "comp" });
});
