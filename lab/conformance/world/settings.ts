/** The settings of a run: the service's addresses, the client, and what the interface leaves to the service's operator. */
export type Settings = {
  baseUrl: string;
  authUrl: string;
  clientId: string;
  clientSecret: string;
  /** False: only what any client may do. */
  hasSandbox: boolean;
  provider: string;
  /** The path for a new routine, and its four fields in the order name, amount, source, destination: not published. */
  bookPath: string;
  bookFields: [string, string, string, string];
  idempotencyHeader: string;
  accountsPath: string;
  /** How long a webhook may take. */
  patienceMs: number;
  /** After so long no further check is begun. */
  runMsMax: number;
  port?: number | undefined;
  /** The address at which the service reaches this listener, when it is not loopback. */
  reachableAt?: string | undefined;
};

/** As this project's service has them. */
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
