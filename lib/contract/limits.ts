export const limits = {
  metadataPairsMax: 25,
  metadataKeyCharactersMax: 64,
  metadataValueCharactersMax: 256,
  // Decision D6
  nameCharactersMax: 100,
  addressCharactersMax: 200,
  emailCharactersMax: 254,
  ageYearsMin: 18,
  ageYearsMax: 120,
  // Decision D9
  clientIdCharactersMax: 200,
  stateCharactersMax: 2048,
  // Decision D11
  providerCharactersMax: 100,
  customerIdCharactersMax: 200,
  // Decision D3
  /** Nesting of objects and arrays. No body of the interface needs more than four. */
  requestDepthMax: 32,
  requestBytesMax: 64 * 1024,
  // "Resources: Tokens and codes"; the code's "several minutes" is Decision D10
  authorizationCodeSeconds: 5 * 60,
  accessTokenSeconds: 2 * 60 * 60,
  refreshTokenSeconds: 10 * 24 * 60 * 60,
  identityVerificationTokenSeconds: 60,
  // Decision D9
  visitSeconds: 30 * 60,
  verificationCodeSeconds: 10 * 60,
  verificationCodeTriesMax: 5,
  verificationCodeResendSeconds: 30,
  verificationPhoneTriesPerDayMax: 20,
  verificationPhoneTextsPerHourMax: 10,
  photoIdBytesMax: 5 * 1024 * 1024,
  /** The file plus boundaries, two headers and the file name. */
  photoIdFormBytesMax: 5 * 1024 * 1024 + 16 * 1024,
  // Decision D24: days after the newest decision about the person, or without one after the upload
  photoIdDecidedDays: 30,
  photoIdUndecidedDays: 180,
  // "Authentication" 6; the tolerance for clock skew is Decision D11
  trustedAuthenticationDays: 30,
  trustedAuthenticationAheadSeconds: 60,
  customerEndpointTimeoutMs: 5000,
  customerEndpointBytesMax: 64 * 1024,
  // Decision D13
  routineNameCharactersMax: 100,
  routineAmountCentsMax: 100_000_000,
  // Decisions D16, D23: USD
  fundedAmountMax: 1_000_000_000_000,
  pageSizeMax: 100,
  pageSizeDefault: 20,
  waitForOthersMs: 2000,
  idempotencyKeyHoursMin: 72,
  // Decision D14
  webhookTimeoutMs: 10_000,
  webhookToleranceSeconds: 5 * 60,
  // Decision D14: failures only, for this many days and attempts, disable an endpoint
  endpointFailureDaysMax: 5,
  endpointFailuresMin: 5,
  // Decision D14: this many failed deliveries without a success make an endpoint failing
  endpointFailedDeliveriesMin: 10,
  // Decision D16
  webhookPreviousSecretSeconds: 24 * 60 * 60,
  // Decision D16
  clockAdvanceSecondsMax: 400 * 24 * 60 * 60,
  clockAheadSecondsMax: 10 * 365 * 24 * 60 * 60,
  dueItemsMax: 1000,
  faultLatencyMsMax: 30_000,
  faultTimesMax: 10_000,
  webhookFaultTimesMax: 1000,
  // How many the sandbox shows
  ledgerPageMax: 1000,
  storedRequestsMax: 200,
  // Decision D20
  storedEventsMax: 20_000,
  /** Larger bodies of an event are dropped. */
  eventBodiesBytesMax: 32 * 1024,
  storedEventBytesMax: 64 * 1024 * 1024,
  /** Per client and kind, in one write. */
  eventBytesPerWriteMax: 2 * 1024 * 1024,
  eventsPageMax: 1000,
  eventsPageBytesMax: 4 * 1024 * 1024,
  eventStreamsMax: 8,
  eventsPageDefault: 100,
  eventAnswerBytesMax: 1024,
  messagesMax: 20,
  // Decision D21: thresholds of the checks
  /**
   * How long requests in flight on other connections may still arrive after a client should have stopped sending them.
   */
  checkOverlapMs: 2000,
  /** Requests within this time count as concurrent: no client times out that soon. */
  checkAtOnceMs: 1000,
  /** A quarter of an access token's lifetime. */
  checkEarlyRefreshSeconds: 30 * 60,
  /** Shorter strings can't hold 128 bits, even at a byte per character (RFC 6749 section 10.10). */
  checkStateCharactersMin: 16,
  checkAnswerMs: 1000,
  /** How long a client has to act on an answer or event. */
  checkFollowUpMs: 10_000,
  checkLostEventMs: 60 * 60 * 1000,
  checkWithheldEventMs: 5 * 60 * 1000,
  checkFailuresInARowMax: 20,
  checkFailuresWithinMs: 10_000,
  /** Reads of one record or list with one token within a second. */
  checkReadsPerSecondMax: 20,
  checkProactiveRenewalSeconds: 24 * 60 * 60,
  checkEvidenceMax: 20,
  sandboxRecoveriesMax: 1000,
  redirectUrisMax: 20,
  webAddressCharactersMax: 2000,
  rejectionCodeCharactersMax: 100,
  rejectionMessageCharactersMax: 500,
  failureReasonCharactersMax: 100,
  // Decision D23
  operatorCharactersMax: 100,
  referenceCharactersMax: 200,
  redeliveriesMax: 10_000,
  changesShown: 20,
} as const;
