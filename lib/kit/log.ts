import { type Logger, pino } from "pino";
import { processWide } from "./memoize.ts";

// What must never reach a log line, wherever in the logged object it stands. Trust 27
const redactedNames = [
  "ssn",
  "date_of_birth",
  "dateOfBirth",
  "address1",
  "address2",
  "postal_code",
  "ip_address",
  "phone",
  "email",
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

/** The process's log: one JSON line an event, to stdout or to the file named by LOG_FILE, secrets and personal data redacted. */
export const log = processWide("log", (): Logger => {
  const paths = redactedNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
  const options = { level: process.env["LOG_LEVEL"] || "info", redact: { paths, censor: "[redacted]" } };
  const file = process.env["LOG_FILE"];
  return file ? pino(options, pino.destination({ dest: file, mkdir: true, sync: true })) : pino(options);
});
