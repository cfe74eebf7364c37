import { type FormEvent, useState } from "react";

export type FieldProblem = { field: string; message: string };

/** A submitted form's errors. A field's error clears when the field or a part (`date_of_birth_month`) is edited. */
export function useFieldErrors(problems: FieldProblem[]) {
  const [edited, setEdited] = useState({ problems, fields: [] as string[] });
  const editedFields = edited.problems === problems ? edited.fields : [];

  function errorOf(field: string): string | undefined {
    if (editedFields.includes(field)) return undefined;
    return problems.find((problem) => problem.field === field)?.message;
  }

  function edit({ target }: FormEvent): void {
    const name = (target instanceof Element && target.getAttribute("name")) || "";
    const problem = problems.find(({ field }) => name === field || name.startsWith(`${field}_`));
    if (problem) setEdited({ problems, fields: [...editedFields, problem.field] });
  }

  return { errorOf, edit };
}
