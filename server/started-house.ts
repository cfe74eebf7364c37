import type { RequestListener } from "node:http";

/** What a house offers to the doors; all of it is optional, because each process runs only some of the roles. */
export type StartedHouse = {
  doors: { origin: string; hasPages: boolean; api?: RequestListener }[];
  findFormTargets: (path: string) => Promise<string[]>;
  stop: () => Promise<void>;
};
