import type { RequestListener } from "node:http";

/** One base address to answer for, and what stands behind it. `listenPort`: when it is not the base address's own. */
export type Listener = {
  origin: string;
  listenPort?: number | undefined;
  hasPages: boolean;
  api?: RequestListener;
};

/** What a app offers to the listeners; all of it is optional, because each process runs only some of the roles. */
export type StartedApp = {
  listeners: Listener[];
  /** Counts a request from an address; false when it has had its share of this second. */
  isWithinRate: (address: string) => Promise<boolean>;
  findFormTargets: (path: string) => Promise<string[]>;
  /** Ends the answers that would never end by themselves, so that the listeners can close. */
  endStreams?: () => Promise<void>;
  /** Whether this app can answer now: its database is there, with every migration that the app knows. */
  isReady: () => Promise<boolean>;
  stop: () => Promise<void>;
};
