import type { IncomingMessage, RequestListener } from "node:http";
import type { ListenSetting } from "./listen-address.ts";

/** One base address and what it serves: pages, an API, or both. `listen`: where it binds, if not at the base address's port. */
export type Listener = {
  origin: string;
  listen?: ListenSetting | undefined;
  hasPages: boolean;
  api?: RequestListener;
  /** Where the app's API is, when this listener has none. */
  apiUrl?: string;
};

/** An app as this process runs it: with listeners, or with workers alone. */
export type StartedApp = {
  listeners: Listener[];
  /** Counts a request from an address; false when it is over the limit for this second. */
  isWithinRate: (address: string) => Promise<boolean>;
  findFormTargets: (path: string) => Promise<string[]>;
  /** What this app needs around the handling of a page's request; nothing when left out. */
  surround?: (request: IncomingMessage, handle: () => void) => void;
  /** Whether a page's request may say which trace it belongs to; every one may when left out. */
  takesTraceAt?: (path: string) => boolean;
  /** Ends the answers that never end by themselves (event streams), so that the listeners can close. */
  endStreams?: () => Promise<void>;
  /** Whether this app can answer now: its database is there, with every migration that the app knows, and agrees with the process about the time. */
  isReady: () => Promise<boolean>;
  /** What this process counts and the app measures, in Prometheus' text format; not of an app that has no metrics. */
  readMetrics?: () => Promise<{ contentType: string; text: string }>;
  stop: () => Promise<void>;
};
