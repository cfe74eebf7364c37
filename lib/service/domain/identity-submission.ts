import { limits } from "../../contract/limits.ts";
import { dateOfBirth, ssn } from "../../contract/people.ts";
import { readDate, ssnDigits } from "../../kit/us-formats.ts";

/** Named after the status that asks for it. Decision D9 */
export type IdentitySubmissionKind = "retry" | "document";

export type SubmissionProblem = "date_of_birth" | "ssn" | "photo_missing" | "photo_too_large" | "photo_of_another_kind";

/** The submission that a problem belongs to. By now the visit may ask for the other one. */
export function kindOfProblem(problem: SubmissionProblem): IdentitySubmissionKind {
  return problem.startsWith("photo_") ? "document" : "retry";
}

/** As typed or normalized: `1990-05-14` and nine digits. */
export type CorrectedIdentity = { dateOfBirth: string; ssn: string };

/** Checks and normalizes typed details: a date like `05/14/1990` and the full ssn, with or without dashes. */
export function checkCorrection(typed: CorrectedIdentity): {
  correction: CorrectedIdentity;
  problems: SubmissionProblem[];
} {
  const read = readDate(typed.dateOfBirth);
  const correction = { dateOfBirth: read.kind === "date" ? read.iso : "", ssn: ssnDigits(typed.ssn) };
  const problems: SubmissionProblem[] = [];
  if (!dateOfBirth.safeParse(correction.dateOfBirth).success) problems.push("date_of_birth");
  if (correction.ssn.length !== 9 || !ssn.safeParse(correction.ssn).success) problems.push("ssn");
  return { correction, problems };
}

// Magic bytes, because a file's name proves nothing.
const magicBytes = [
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
] as const;

/** Undefined for a file that can't be a photo ID. */
export function mediaTypeOf(photo: Uint8Array): string | undefined {
  const known = magicBytes.find(([, bytes]) => bytes.every((byte, index) => photo[index] === byte));
  return known?.[0];
}

export function findPhotoProblem(photo: Uint8Array): SubmissionProblem | undefined {
  if (photo.length === 0) return "photo_missing";
  if (photo.length > limits.photoIdBytesMax) return "photo_too_large";
  return mediaTypeOf(photo) ? undefined : "photo_of_another_kind";
}
