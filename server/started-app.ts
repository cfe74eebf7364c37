import type { IncomingMessage, RequestListener } from "node:http";
import type { Guard } from "./gateway.ts";
import type { ListenSetting } from "./listen-address.ts";
import type { App } from "./roles.ts";

/** One base address and what it serves: pages, an API, or both. `listen`: where it binds, if not on the base address's port. */
export type Listener = {
  origin: string;
  listen?: ListenSetting | undefined;
  hasPages: boolean;
  api?: RequestListener;
  /** The app's API address, if it isn't served here. */
  apiUrl?: string;
};

export type StartedApp = {
  listeners: Listener[];
  /** Other host names of its API. */
  otherHosts?: readonly string[];
  /** False when the address is over its limit for this second. */
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

/**
 * Opens a sandbox for each visitor: its guards see every request of the listeners. `api`: the service's. `pagesAt`: where this
 * process serves the authorization pages, on loopback.
 */
export type OpenPublicSandbox = (parts: {
  api: RequestListener;
  pagesAt: string | undefined;
}) => Promise<{ guards: Record<App, Guard>; stop: () => Promise<void> }>;
