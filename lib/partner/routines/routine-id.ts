/** Whether the text can be one of Harbor's routine ids; an address may hold anything. */
export function isRoutineId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
