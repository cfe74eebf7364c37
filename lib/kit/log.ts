import { type Logger, pino } from "pino";
import { hideFields } from "./hide-fields.ts";
import { gatherLines, openLogDestination } from "./log-lines.ts";
import { processWide } from "./memoize.ts";

/** Fields that hold a secret in any program, by their names on the wire and in code. */
export const secretFieldNames: readonly string[] = [
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

// As pino numbers its levels.
const warning = 40;

const hiddenNames = processWide("log.hidden_names", () => new Set(secretFieldNames));

// How long an ending process waits for its last lines to be taken.
const finishMs = 1000;

const destination = processWide("log.destination", () =>
  openLogDestination(process.env["LOG_FILE"], (lines) => {
    log().warn({ lines }, "log lines were dropped");
  }),
);

/**
 * The process's log: one JSON line an event, to stdout or to the file named by LOG_FILE, without secrets and hidden fields.
 * The lines of one turn of the event loop are written together at its end, a warning or an error at once. It never waits for
 * whatever takes the lines: those that cannot be written for long are dropped and counted.
 */
export const log = processWide("log", (): Logger => {
  const hidden = hiddenNames();
  const lines = gatherLines(destination().write);
  process.once("exit", () => {
    lines.flush();
    destination().finish(finishMs);
  });
  return pino(
    {
      level: process.env["LOG_LEVEL"] || "info",
      formatters: { log: (fields) => hideFields(fields, hidden) },
      hooks: {
        logMethod(parameters, method, level) {
          method.apply(this, parameters);
          if (level >= warning) lines.flush();
        },
      },
    },
    lines,
  );
});

/** Hides further fields from the log, however deep they stand, in every line from now on. */
export function hideInLog(names: readonly string[]): void {
  for (const name of names) hiddenNames().add(name);
}

/** How many lines of this process's log were dropped. */
export function droppedLogLines(): number {
  return destination().droppedLines();
}
