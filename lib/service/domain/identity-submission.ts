import { limits } from "../../contract/limits.ts";
import { dateOfBirth } from "../../contract/user-intent.ts";

/** What a person can be asked to send in, named by the status that asks for it. Decision D9 */
export type IdentitySubmissionKind = "retry" | "document";

/** What was wrong with what was sent in. */
export type SubmissionProblem = "date_of_birth" | "ssn" | "photo_missing" | "photo_too_large" | "photo_of_another_kind";

/** Which answer a problem is about: a visit may meanwhile ask for the other. */
export function kindOfProblem(problem: SubmissionProblem): IdentitySubmissionKind {
  return problem.startsWith("photo_") ? "document" : "retry";
}

/** Corrected details, as a screening gets them. */
export type CorrectedIdentity = { dateOfBirth: string; ssn: string };

/** Checks corrected details: a real date of birth and the whole ssn, which people write with dashes and spaces. */
export function checkCorrection(typed: CorrectedIdentity): {
  correction: CorrectedIdentity;
  problems: SubmissionProblem[];
} {
  const correction = { dateOfBirth: typed.dateOfBirth.trim(), ssn: typed.ssn.replace(/[\s-]/g, "") };
  const problems: SubmissionProblem[] = [];
  if (!dateOfBirth.safeParse(correction.dateOfBirth).success) problems.push("date_of_birth");
  if (!/^\d{9}$/.test(correction.ssn)) problems.push("ssn");
  return { correction, problems };
}

// How each kind of file begins, whatever its name says.
const beginnings = [
  [0xff, 0xd8, 0xff],
  [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  [0x25, 0x50, 0x44, 0x46, 0x2d],
];

/** What is wrong with a photo ID, judged by its bytes: JPEG, PNG or PDF of at most `limits.photoIdBytesMax`. */
export function findPhotoProblem(photo: Uint8Array): SubmissionProblem | undefined {
  if (photo.length === 0) return "photo_missing";
  if (photo.length > limits.photoIdBytesMax) return "photo_too_large";
  const isKnown = beginnings.some((beginning) => beginning.every((byte, index) => photo[index] === byte));
  return isKnown ? undefined : "photo_of_another_kind";
}
