import type { RequestListener } from "node:http";

/** What a house offers to the doors; all of it is optional, because each process runs only some of the roles. */
export type StartedHouse = {
  doors: { origin: string; hasPages: boolean; api?: RequestListener }[];
  findFormTargets: (path: string) => Promise<string[]>;
  /** Ends the answers that would never end by themselves, so that the doors can close. */
  endStreams?: () => Promise<void>;
  /** Whether this house can answer now: its database is there, with every migration that the house knows. */
  isReady: () => Promise<boolean>;
  stop: () => Promise<void>;
};
