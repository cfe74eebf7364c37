import { type Logger, pino } from "pino";
import { processWide } from "./memoize.ts";

// Fields that hold a secret in any program, by their names on the wire and in code.
const secretNames = [
  "password",
  "code",
  "code_verifier",
  "secret",
  "token",
  "access_token",
  "refresh_token",
  "session_token",
  "accessToken",
  "refreshToken",
  "sessionToken",
  "client_secret",
  "clientSecret",
  "authorization",
  "cookie",
];

type State = { hiddenNames: Set<string>; logger: Logger | undefined };
const state = processWide("log", (): State => ({ hiddenNames: new Set(secretNames), logger: undefined }));

/** The process's log: one JSON line an event, to stdout or to the file named by LOG_FILE, without secrets and hidden fields. */
export function log(): Logger {
  const current = state();
  current.logger ??= createLogger([...current.hiddenNames]);
  return current.logger;
}

/** Hides further fields from the log, up to three levels deep, in every line from now on. */
export function hideInLog(names: readonly string[]): void {
  const current = state();
  const added = names.filter((name) => !current.hiddenNames.has(name));
  if (added.length === 0) return;
  for (const name of added) current.hiddenNames.add(name);
  current.logger = undefined;
}

function createLogger(names: string[]): Logger {
  const paths = names.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
  const options = { level: process.env["LOG_LEVEL"] || "info", redact: { paths, censor: "[redacted]" } };
  const file = process.env["LOG_FILE"];
  return file ? pino(options, pino.destination({ dest: file, mkdir: true, sync: true })) : pino(options);
}
