import { mkdirSync, openSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type Logger, pino } from "pino";
import { hideFields } from "./hide-fields.ts";
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
 * The process's log: one JSON line per event, to stdout or LOG_FILE, with secrets redacted. Lines from one tick of the
 * event loop are written together; warnings and errors are written immediately. Never blocks: lines that can't be written
 * are dropped and counted.
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

type LogLines = {
  write: (line: string) => void;
  flush: () => void;
};

// A larger burst is flushed within the tick, so that it isn't held in memory twice.
const charactersMax = 64 * 1024;

/** Gathers the lines of one tick of the event loop and writes them together at its end. */
function gatherLines(emit: (text: string) => void): LogLines {
  let gathered = "";
  let isScheduled = false;

  function flush(): void {
    if (gathered === "") return;
    const text = gathered;
    gathered = "";
    emit(text);
  }

  return {
    flush,
    write: (line) => {
      gathered += line;
      if (gathered.length >= charactersMax) return flush();
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        flush();
      });
    },
  };
}

type LogDestination = {
  write: (text: string) => void;
  /** Tries for `timeoutMs` to write what's pending. Blocks, so call it only when the process ends. */
  finish: (timeoutMs: number) => void;
  droppedLines: () => number;
};

const unwrittenBytesMax = 1024 * 1024;
const retryMs = 100;

/**
 * Opens a file or standard output. While a pipe isn't read or a disk is full, up to 1 MB is buffered and further lines
 * are dropped; `onResumed` gets the number dropped once the buffer is written.
 */
function openLogDestination(file: string | undefined, onResumed: (dropped: number) => void): LogDestination {
  const fd = file ? openFile(file) : openStandardOutput();
  const unwritten: Buffer[] = [];
  let unwrittenBytes = 0;
  let dropped = 0;
  let reported = 0;
  let retry: NodeJS.Timeout | undefined;

  function write(text: string): void {
    const bytes = Buffer.from(text);
    if (unwrittenBytes + bytes.length > unwrittenBytesMax) {
      dropped += text.split("\n").length - 1;
      return;
    }
    unwritten.push(bytes);
    unwrittenBytes += bytes.length;
    if (!retry) writeOut();
  }

  function writeOut(): void {
    retry = undefined;
    try {
      for (let [next] = unwritten; next; [next] = unwritten) {
        const count = writeSync(fd, next);
        unwrittenBytes -= count;
        if (count < next.length) unwritten[0] = next.subarray(count);
        else unwritten.shift();
      }
    } catch {
      // The pipe is full (EAGAIN) or has no reader (EPIPE), or the disk is full (ENOSPC).
      retry = setTimeout(writeOut, retryMs).unref();
      return;
    }
    const lost = dropped - reported;
    reported = dropped;
    if (lost > 0) onResumed(lost);
  }

  function finish(timeoutMs: number): void {
    const giveUpAt = performance.now() + timeoutMs;
    const still = new Int32Array(new SharedArrayBuffer(4));
    while (unwritten.length > 0 && performance.now() < giveUpAt) {
      clearTimeout(retry);
      writeOut();
      if (unwritten.length > 0) Atomics.wait(still, 0, 0, retryMs / 10);
    }
  }

  return { write, finish, droppedLines: () => dropped };
}

function openFile(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  // Opening a FIFO would block.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new Error(
      "LOG_FILE must name a regular file, or a path where there is none yet. Leave it empty to log to standard output.",
    );
  }
  return openSync(file, "a");
}

// Node's streams make a full pipe fail (EAGAIN) instead of blocking. That must not end the process when a writer, such as
// Next, ignores errors.
function openStandardOutput(): number {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return 1;
}
