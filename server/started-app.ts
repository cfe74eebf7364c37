import type { IncomingMessage, RequestListener } from "node:http";
import type { ListenSetting } from "./listen-address.ts";

/** One base address and what it serves: pages, an API, or both. `listen`: where it binds, if not on the base address's port. */
export type Listener = {
  origin: string;
  listen?: ListenSetting | undefined;
  hasPages: boolean;
  api?: RequestListener;
  /** The app's API address, if another process serves it: browsers that ask for its pages are redirected there. */
  apiUrl?: string;
};

export type StartedApp = {
  listeners: Listener[];
  /** Other host names under which programs can call its API. */
  otherHosts?: readonly string[];
  /** Counts a request that the API doesn't count itself; false if its address is over the limit. */
  isWithinRate: (address: string) => Promise<boolean>;
  findFormTargets: (path: string) => Promise<string[]>;
  /** Middleware around a page's request. */
  wrapPage?: (request: IncomingMessage, handle: () => void) => void;
  /** Whether requests at this path may continue a caller's trace; all may by default. */
  continuesTraceAt?: (path: string) => boolean;
  /** Ends event streams, so that the listeners can close. */
  endStreams?: () => Promise<void>;
  /** Whether the database is reachable, has every migration, and has the same time as the process. */
  isReady: () => Promise<boolean>;
  /** In the Prometheus text format. */
  readMetrics: () => Promise<{ text: string }>;
  stop: () => Promise<void>;
};
