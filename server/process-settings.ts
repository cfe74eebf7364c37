import * as z from "zod/mini";
import { readEnvironment, wholeNumberSetting } from "../lib/kit/environment.ts";
import { memoize } from "../lib/kit/memoize.ts";

/** The settings of a process, whichever house it runs; `.env.example` explains each. The log reads its own two by itself. */
export const processEnvironment = z.object({
  ROLES: z.optional(z.string()),
  LISTEN_HOST: z.optional(z.string()),
  CONNECTIONS_MAX: z._default(wholeNumberSetting, 10_000),
  DATA_FOLDER: z.optional(z.string()),
  LOG_LEVEL: z.optional(z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])),
  LOG_FILE: z.optional(z.string()),
});

/** Where the doors listen and how many connections each keeps. Throws a sentence per wrong setting. */
export const processSettings = memoize(() => {
  const settings = readEnvironment(processEnvironment, process.env);
  return { listenHost: settings.LISTEN_HOST, connectionsMax: settings.CONNECTIONS_MAX };
});
