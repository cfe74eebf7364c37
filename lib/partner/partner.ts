import { type Client, createTokenKeeper, type ObservedCall, type TokenKeeper, type TokenStore } from "#client";
import type { PartnerConfig } from "./config.ts";
import type { Database } from "./storage/database.ts";
import { createTokenStore } from "./storage/token-pairs.ts";

/** A delivery as it came, and what Harbor made of it. `why`: why it was refused. */
export type ObservedWebhook = {
  body: string;
  headers: Headers;
  outcome: "accepted" | "duplicate" | "turned_away";
  status: number;
  why: string | undefined;
  startedAt: Date;
};

/** A request of the service for a customer, and what Harbor answered. */
export type ObservedAnswer = {
  customerId: string;
  headers: Headers;
  status: number;
  body: object;
  why: string | undefined;
  startedAt: Date;
};

/** Sees what Harbor and the service say to each other, as it was on the wire, and changes nothing. */
export type Observer = {
  call: (call: ObservedCall) => void;
  webhook: (webhook: ObservedWebhook) => void;
  answer: (answer: ObservedAnswer) => void;
};

/** What an app is made of; `clock` is real time, and without `observe` nobody watches. */
export type PartnerParts = {
  config: PartnerConfig;
  database: Database;
  client: Client;
  clock: () => Date;
  observe?: Observer | undefined;
};

/** What every feature needs; made once per process and passed along. */
export type Partner = Database &
  Pick<PartnerParts, "config" | "client" | "clock"> & {
    tokens: TokenKeeper;
    tokenStore: TokenStore;
    observe: Observer;
  };

const nobody: Observer = { call: () => {}, webhook: () => {}, answer: () => {} };

/** Puts Harbor together. */
export function createPartner({ config, database, client, clock, observe = nobody }: PartnerParts): Partner {
  const tokenStore = createTokenStore(database, config.keyring);
  const tokens = createTokenKeeper({ client, store: tokenStore, canRevoke: config.isRevocationUsed });
  return { ...database, config, client, clock, tokens, tokenStore, observe };
}
