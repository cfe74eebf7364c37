import { newId } from "../../kit/ids.ts";

/** The form as an operator fills it in. */
export function routineFormOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  const filled = { idempotencyKey: crypto.randomUUID(), sourceId: newId(), amount: "12.50", name: "Lamps", ...fields };
  for (const [name, value] of Object.entries(filled)) form.set(name, value);
  return form;
}
