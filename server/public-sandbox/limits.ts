/** What a public sandbox may cost: one visitor, one address, and all of them. */
export const publicLimits = {
  lifetimeMs: 24 * 60 * 60 * 1000,
  sandboxesMax: 300,
  /** New sandboxes of an address, or of an IPv6 network, in an hour. */
  sandboxesOfAddressMax: 20,
  /** How many are made at once, and how many visitors may wait for theirs. */
  creationsMax: 4,
  creationsWaitingMax: 200,
  /** Made ahead, and how many of these with the demo people onboarded. */
  sparesMax: 20,
  connectedSparesMax: 3,
  /** Of one sandbox: requests in ten seconds and in its whole life, bytes received, and bytes in Harbor's tables. */
  requestsInTenSecondsMax: 200,
  requestsMax: 20_000,
  receivedBytesMax: 32 * 1024 * 1024,
  storedBytesMax: 32 * 1024 * 1024,
  /** Of an address at the authorization pages, in ten seconds. */
  pagesOfAddressMax: 300,
  /** After this long without a request a sandbox has no worker. */
  idleMs: 90_000,
};

export type PublicLimits = typeof publicLimits;
