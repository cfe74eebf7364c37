import type { SubmissionProblem } from "#lib/service/domain/identity-submission.ts";

const messages: Record<SubmissionProblem, { field: string; message: string }> = {
  date_of_birth: { field: "date_of_birth", message: "Give a real date of at least 18 years ago, like 1990-01-31." },
  ssn: { field: "ssn", message: "Give all nine digits." },
  photo_missing: { field: "photo", message: "Choose a file first." },
  photo_too_large: { field: "photo", message: "The file is larger than 5 MB. Choose a smaller one." },
  photo_of_another_kind: { field: "photo", message: "The file is not a JPEG, PNG or PDF, whatever its name says." },
};

/** What was wrong with a submission, as the person reads it beside the field. */
export function problemsOfFields(problems: SubmissionProblem[]): { field: string; message: string }[] {
  return problems.map((problem) => messages[problem]);
}
