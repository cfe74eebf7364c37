/** The limits of a public sandbox: per visitor, per address, and in total. */
export const publicLimits = {
  lifetimeMs: 24 * 60 * 60 * 1000,
  sandboxesMax: 300,
  /** New sandboxes per hour from one address, or one IPv6 network. */
  sandboxesOfAddressMax: 20,
  /** How many are created at once, and how many visitors may wait for theirs. */
  creationsMax: 4,
  creationsWaitingMax: 200,
  /** Spares created ahead, and how many of them have the demo people onboarded. */
  sparesMax: 20,
  connectedSparesMax: 3,
  /** Per sandbox: requests in ten seconds and over its lifetime, bytes received, and bytes in Harbor's tables. */
  requestsInTenSecondsMax: 200,
  requestsMax: 20_000,
  receivedBytesMax: 32 * 1024 * 1024,
  storedBytesMax: 32 * 1024 * 1024,
  /** Per address at the authorization pages, in ten seconds. */
  pagesOfAddressMax: 300,
  /** A sandbox without requests for this long loses its worker. */
  idleMs: 90_000,
};

export type PublicLimits = typeof publicLimits;
