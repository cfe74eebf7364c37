/** What an operator supplies if the suite can't control the service. */
export type NamedPeople = {
  /** Fields of user intents that the service approves or rejects on its own. */
  approved?: Record<string, unknown> | undefined;
  rejected?: Record<string, unknown> | undefined;
  business?: { user_id: string; phone: string } | undefined;
  instruments?: { source?: string; destination?: string } | undefined;
};

/** A run's settings: URLs, the client, and choices the interface leaves open. */
export type Settings = {
  baseUrl: string;
  authUrl: string;
  clientId: string;
  clientSecret: string;
  /** Without it, an adapter or named people, only client-level calls are possible. */
  hasSandbox: boolean;
  /** The URL of the operator's control adapter. */
  controlUrl?: string | undefined;
  people?: NamedPeople | undefined;
  /** Registered for the given client, if not this listener's. */
  redirectUri?: string | undefined;
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
