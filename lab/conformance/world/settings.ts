/** A run's settings: URLs, the client, and choices the interface leaves open. */
export type Settings = {
  baseUrl: string;
  authUrl: string;
  clientId: string;
  clientSecret: string;
  /** False for client-level calls only. */
  hasSandbox: boolean;
  provider: string;
  /** The unpublished routine path, and its fields for name, amount, source, and destination. */
  bookPath: string;
  bookFields: [string, string, string, string];
  idempotencyHeader: string;
  accountsPath: string;
  patienceMs: number;
  /** No new checks start after this time. */
  runMsMax: number;
  port?: number | undefined;
  /** This listener's URL for the service, if not loopback. */
  reachableAt?: string | undefined;
};

/** This project's defaults. */
export const usualSettings = {
  hasSandbox: true,
  provider: "partner",
  bookPath: "/v1/routines/book",
  bookFields: ["name", "amount", "source_id", "destination_id"],
  idempotencyHeader: "idempotency-key",
  accountsPath: "/v1/accounts",
  patienceMs: 5_000,
  runMsMax: 55_000,
} as const satisfies Partial<Settings>;
