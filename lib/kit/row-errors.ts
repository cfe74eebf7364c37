/**
 * Whether PostgreSQL refused a statement because of what a row holds or would hold (classes 22, 23 and 54: data exceptions,
 * integrity constraints and program limits). The same statement without that row may succeed; the same with it will not.
 */
export function isDataError(error: unknown): boolean {
  return /^(?:2[23]|54)/.test(databaseErrorOf(error)?.code ?? "");
}

/** Why a row was refused, in a few words for an operator: the code and the rule's name, never a value of the row. */
export function reasonOf(error: unknown): string {
  const known = databaseErrorOf(error);
  if (!known) return error instanceof Error ? error.name : "unknown";
  return [known.code, known.constraint].filter((part) => part !== undefined).join(" ");
}

// The query builder wraps the error of the driver.
function databaseErrorOf(error: unknown): { code: string; constraint?: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)) {
    const constraint = "constraint" in error && typeof error.constraint === "string" ? error.constraint : undefined;
    return { code: error.code, ...(constraint !== undefined && { constraint }) };
  }
  return databaseErrorOf(error.cause);
}
