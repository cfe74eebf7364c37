import { type Client, createTokenKeeper, type ObservedCall, type TokenKeeper, type TokenStore } from "#client";
import type { ProviderModule } from "../contract/providers.ts";
import type { PartnerConfig } from "./config.ts";
import type { Database } from "./storage/database.ts";
import { createTokenStore } from "./storage/token-pairs.ts";

/** A delivery and Harbor's verdict. `why`: the reason for a refusal. */
export type ObservedWebhook = {
  body: string;
  headers: Headers;
  outcome: "accepted" | "duplicate" | "turned_away";
  status: number;
  why: string | undefined;
  startedAt: Date;
};

export type ObservedAnswer = {
  customerId: string;
  headers: Headers;
  status: number;
  body: object;
  why: string | undefined;
  startedAt: Date;
};

export type Observer = {
  call: (call: ObservedCall) => void;
  webhook: (webhook: ObservedWebhook) => void;
  answer: (answer: ObservedAnswer) => void;
};

/** What a partner is built from; `clock` is real time. */
export type PartnerParts = {
  config: PartnerConfig;
  database: Database;
  client: Client;
  clock: () => Date;
  /** Undefined in a sandbox, which simulates them. */
  providers?: ProviderModule | undefined;
  observe?: Observer | undefined;
};

/** The first argument of every feature; one per process. */
export type Partner = Database &
  Pick<PartnerParts, "config" | "client" | "clock"> & {
    tokens: TokenKeeper;
    tokenStore: TokenStore;
    providers: ProviderModule;
    observe: Observer;
  };

const noObserver: Observer = { call: () => {}, webhook: () => {}, answer: () => {} };

export function createPartner({
  config,
  database,
  client,
  clock,
  providers = {},
  observe = noObserver,
}: PartnerParts): Partner {
  const tokenStore = createTokenStore(database, config.keyring);
  const tokens = createTokenKeeper({ client, store: tokenStore, canRevoke: config.isRevocationUsed });
  return { ...database, config, client, clock, tokens, tokenStore, providers, observe };
}
