import { type Logger, pino } from "pino";
import { hideFields } from "./hide-fields.ts";
import { gatherLines, openLogDestination } from "./log-lines.ts";
import { processWide } from "./memoize.ts";

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

const warning = 40;

const hiddenNames = processWide("log.hidden_names", () => new Set(secretFieldNames));

const finishMs = 1000;

const destination = processWide("log.destination", () =>
  openLogDestination(process.env["LOG_FILE"], (lines) => {
    log().warn({ lines }, "log lines were dropped");
  }),
);

/**
 * The process's log: one JSON line per event, to stdout or LOG_FILE, with secrets redacted. Lines of one turn of the
 * event loop are written together, warnings and errors at once. Never blocks: lines that can't be written are dropped
 * and counted.
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

/** Redacts these fields too, at any depth. */
export function hideInLog(names: readonly string[]): void {
  for (const name of names) hiddenNames().add(name);
}

export function droppedLogLines(): number {
  return destination().droppedLines();
}
