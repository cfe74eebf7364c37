/** The numbers of the published interface ("Limits"), and those of the decisions that callers meet, units last. */
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
  /** Objects and arrays in each other. No body of the interface needs more than four. */
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
  /** The form that brings it: what is around its one file are boundaries, two headers and the file's name. */
  photoIdFormBytesMax: 5 * 1024 * 1024 + 16 * 1024,
  // "Authentication" 6; the tolerance for clock skew is Decision D11
  trustedAuthenticationDays: 30,
  trustedAuthenticationAheadSeconds: 60,
  customerEndpointTimeoutMs: 5000,
  customerEndpointBytesMax: 64 * 1024,
  // Decision D13
  routineNameCharactersMax: 100,
  routineAmountCentsMax: 100_000_000,
  pageSizeMax: 100,
  pageSizeDefault: 20,
  waitForOthersMs: 2000,
  idempotencyKeyHoursMin: 72,
  // Decision D14
  webhookTimeoutMs: 10_000,
  webhookToleranceSeconds: 5 * 60,
  // Decision D14: so many days of nothing but failures disable an endpoint, over at least so many attempts
  endpointFailureDaysMax: 5,
  endpointFailuresMin: 5,
  // Decision D14: so many different deliveries that fail, and none that succeeds, make an endpoint fail as a whole
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
  // What the sandbox shows of each: as much as a person scrolls through
  ledgerPageMax: 1000,
  requestsKeptMax: 200,
  // Decision D20
  eventsKeptMax: 20_000,
  /** What was asked and answered, of one event; larger bodies are not kept. */
  eventBodiesBytesMax: 32 * 1024,
  eventBytesKeptMax: 64 * 1024 * 1024,
  /** Of one client and kind, of one write. */
  eventBytesPerWriteMax: 2 * 1024 * 1024,
  eventsPageMax: 1000,
  eventsPageBytesMax: 4 * 1024 * 1024,
  eventStreamsMax: 8,
  eventsPageDefault: 100,
  eventAnswerBytesMax: 1024,
  messagesMax: 20,
  // Decision D21: what tells a correct client from one that breaks a rule
  /** What was under way on another connection or in another process may still arrive so long after the client knew better. */
  checkOverlapMs: 2000,
  /** Two requests within so little time of each other are at once: nobody gives an answer up that soon. */
  checkAtOnceMs: 1000,
  /** Expiry is near: a quarter of an access token's life. */
  checkEarlyRefreshSeconds: 30 * 60,
  /** A shorter text cannot carry 128 bits, even by a byte for each character (RFC 6749 section 10.10). */
  checkStateCharactersMin: 16,
  /** What the service asks of a client is answered within it. */
  checkAnswerMs: 1000,
  /** What follows from an answer or event has been done by then. */
  checkFollowUpMs: 10_000,
  checkLostEventMs: 60 * 60 * 1000,
  checkFailuresInARowMax: 20,
  checkFailuresWithinMs: 10_000,
  checkProactiveRenewalSeconds: 24 * 60 * 60,
  checkEvidenceMax: 20,
  redirectUrisMax: 20,
  webAddressCharactersMax: 2000,
  rejectionCodeCharactersMax: 100,
  rejectionMessageCharactersMax: 500,
  failureReasonCharactersMax: 100,
} as const;
