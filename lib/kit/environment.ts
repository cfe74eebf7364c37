import * as z from "zod/mini";
import { type EncryptionKey, parseKeyring } from "./secrets.ts";

/**
 * Parses settings from environment variables; empty ones count as absent. Throws an error with one sentence per invalid
 * setting, with its name but never its value.
 */
export function readEnvironment<Schema extends z.ZodMiniType>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.output<Schema> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const name = issue.path.join(".");
    return `  ${name}: ${name in present ? wordsFor(issue) : "is missing"}`;
  });
  throw new Error(`These settings are missing or invalid (see .env.example):\n${problems.join("\n")}`);
}

function wordsFor(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_value" ? `must be one of ${issue.values.join(", ")}` : issue.message;
}

// Without it, "localhost:4000" is a URL whose scheme is "localhost".
const protocol = /^https?$/;

/** The address of an app; the value is its origin, without a trailing slash. */
export const originSetting = z.pipe(
  z.url({ protocol, error: "must be an address like http://127.0.0.1:4000" }),
  z.transform((address: string) => new URL(address).origin),
);

/** The address of another program, with a path but no trailing slash. */
export const addressSetting = z.pipe(
  z.url({ protocol, error: "must be an address like https://api.example.com/bank" }),
  z.transform((address: string, context) => {
    const { origin, pathname, search, hash, username } = new URL(address);
    if (!search && !hash && !username) return origin + pathname.replace(/\/+$/, "");
    context.issues.push({ code: "custom", input: undefined, message: "must end with its path" });
    return z.NEVER;
  }),
);

export const keyringSetting = parsedSetting(
  parseKeyring,
  "must be id:base64 pairs of 32 bytes each, separated by commas",
);

/** Whether a key is from `.env.example`, where ids or bytes start with "demo". */
export function isDemoKey({ id, bytes }: EncryptionKey): boolean {
  return id.startsWith("demo") || Buffer.from(bytes).toString("latin1").startsWith("demo");
}

const secretCharactersMin = 32;

export const secretSetting = z
  .string()
  .check(z.minLength(secretCharactersMin, `must have at least ${secretCharactersMin} characters`));

export const wholeNumberSetting = z.coerce
  .number("must be a whole number")
  .check(z.int("must be a whole number"), z.nonnegative("must not be negative"));

/** A setting parsed by a function that throws. The message replaces its error, which could show the value. */
export function parsedSetting<T>(parse: (setting: string) => T, message: string) {
  return z.pipe(
    z.string(),
    z.transform((setting: string, context) => {
      try {
        return parse(setting);
      } catch {
        context.issues.push({ code: "custom", input: undefined, message });
        return z.NEVER;
      }
    }),
  );
}
