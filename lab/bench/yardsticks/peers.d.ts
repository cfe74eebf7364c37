// Minimal types of the peers, which only `npm run bench` installs.

declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  type Stored = { save: () => Promise<string> };
  type Identity = { accountId: string; clientId: string };

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    Client: { find: (id: string) => Promise<object> };
    Grant: new (
      of: Identity,
    ) => Stored & { addOIDCScope: (scope: string) => void };
    AccessToken: new (
      of: Record<string, unknown>,
    ) => Stored;
    RefreshToken: new (
      of: Record<string, unknown>,
    ) => Stored;
  }
}

declare module "graphile-worker" {
  import type { Pool } from "pg";

  export type Logger = object;
  export function run(options: {
    pgPool: Pool;
    concurrency?: number;
    noHandleSignals?: boolean;
    logger?: Logger;
    taskList: Record<string, (payload: unknown) => Promise<unknown>>;
    preset?: { worker: Record<string, unknown> };
  }): Promise<{ stop: () => Promise<void> }>;
  export function runMigrations(options: { pgPool: Pool; logger?: Logger }): Promise<void>;
  export const Logger: new (factory: () => () => void) => Logger;
}

declare module "pg-copy-streams" {
  import type { Writable } from "node:stream";
  import type { Submittable } from "pg";

  export function from(statement: string): Writable & Submittable;
}
