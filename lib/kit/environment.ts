import type * as z from "zod/mini";

/**
 * Parses settings from environment variables. An empty variable counts as absent. Throws one sentence per wrong setting,
 * naming it and never its value, which may be a secret.
 */
export function readEnvironment<Schema extends z.ZodMiniType>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.output<Schema> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`These settings are missing or wrong (see .env.example):\n${problems.join("\n")}`);
}
