import { describe, expect, test } from "vitest";
import { limits } from "../../contract/limits.ts";
import { checkCorrection, findPhotoProblem } from "./identity-submission.ts";

describe("corrected details", () => {
  test.each([
    ["1990-01-31", "123456789", []],
    [" 1990-01-31 ", "123-45-6789", []],
    ["05/14/1990", "123 45 6789", []],
    ["1990-02-30", "123456789", ["date_of_birth"]],
    ["02/30/1990", "123456789", ["date_of_birth"]],
    ["05/14/90", "123456789", ["date_of_birth"]],
    ["2020-01-31", "123456789", ["date_of_birth"]],
    ["31.01.1990", "1234", ["date_of_birth", "ssn"]],
    ["1990-01-31", "6789", ["ssn"]],
    ["1990-01-31", "1234567890", ["ssn"]],
    ["1990-01-31", "１２３４５６７８９", ["ssn"]],
    ["1990-01-31", "666-12-3456", ["ssn"]],
    ["", "", ["date_of_birth", "ssn"]],
  ])("%j and %j: %j", (dateOfBirth, ssn, problems) => {
    expect(checkCorrection({ dateOfBirth, ssn }).problems).toEqual(problems);
  });

  test("are normalized to the interface's format, however they were typed", () => {
    const { correction } = checkCorrection({ dateOfBirth: " 1/31/1990", ssn: "123-45 6789" });
    expect(correction).toEqual({ dateOfBirth: "1990-01-31", ssn: "123456789" });
  });
});

describe("a photo ID", () => {
  test.each([
    ["JPEG", [0xff, 0xd8, 0xff, 0xe0], undefined],
    ["PNG", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], undefined],
    ["PDF", [...Buffer.from("%PDF-1.7")], undefined],
    ["nothing", [], "photo_missing"],
    ["half a PNG's beginning", [0x89, 0x50, 0x4e, 0x47], "photo_of_another_kind"],
    ["HTML", [...Buffer.from("<html>%PDF-")], "photo_of_another_kind"],
    ["SVG", [...Buffer.from("<svg>")], "photo_of_another_kind"],
  ])("of %s", (_kind, bytes, problem) => {
    expect(findPhotoProblem(Uint8Array.from(bytes))).toBe(problem);
  });

  test("may have the maximum size and not a byte more", () => {
    const largest = new Uint8Array(limits.photoIdBytesMax).fill(0xff, 0, 1).fill(0xd8, 1, 2).fill(0xff, 2, 3);
    expect(findPhotoProblem(largest)).toBeUndefined();
    expect(findPhotoProblem(Buffer.concat([largest, Buffer.alloc(1)]))).toBe("photo_too_large");
  });
});
