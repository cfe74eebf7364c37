import { limits } from "#lib/contract/limits.ts";
import type { SubmissionProblem } from "#lib/service/domain/identity-submission.ts";

const messages: Record<SubmissionProblem, { field: string; message: string }> = {
  date_of_birth: {
    field: "date_of_birth",
    message: `Enter your real date of birth, at least ${limits.ageYearsMin} years ago. Month first, like 05 / 14 / 1990.`,
  },
  ssn: { field: "ssn", message: "Enter all nine digits of your Social Security number." },
  photo_missing: { field: "photo", message: "Choose a photo of your ID first." },
  photo_too_large: {
    field: "photo",
    message: `This file is larger than ${limits.photoIdBytesMax / 1024 ** 2} MB. Choose a smaller one.`,
  },
  photo_of_another_kind: { field: "photo", message: "This file is not a JPEG, PNG or PDF. Choose another one." },
};

/** What was wrong with a submission, as the person reads it beside the field. */
export function problemsOfFields(problems: SubmissionProblem[]): { field: string; message: string }[] {
  return problems.map((problem) => messages[problem]);
}
