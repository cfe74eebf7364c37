import { type Drill, openAccounts, releaseWebhooks, setFault, setWebhookFault } from "./drill.ts";

export const paymentDrills: readonly Drill[] = [
  {
    id: "payment-unanswered",
    title: "A payment times out",
    broken: "The next payment is created and answered only after half a minute.",
    clauses: ["I.create-a-book-transfer-routine.6", "D13.8", "D13.10"],
    interfaceSays: "A retry with the same key is answered as the first request was.",
    goodClient:
      "Times out, keeps the key, and either retries with it or looks the payment up. It never creates a second one.",
    steps: [
      setFault({ operation: "createBookRoutine", times: 1, latency_ms: 30_000 }),
      {
        do: "Have your app pay an onboarded person from the business once, do nothing else, and look at the payment a minute later.",
      },
    ],
    expect: ["routine-key-present", "business-token-for-routines"],
    proof: "One payment in the ledger, and your app knows about it. Any retry used the same key.",
  },
  {
    id: "payment-sent-again",
    title: "A payment is briefly refused with 503",
    broken: "The next payment request is answered with 503 and retry-after.",
    clauses: ["I.errors.3", "D5.12", "D13.8"],
    interfaceSays: "Any failure means that no routine was created; a failure never uses up the key.",
    goodClient: "Waits as long as retry-after says and retries with the same key, or lets the person retry.",
    steps: [
      setFault({ operation: "createBookRoutine", times: 1, status: 503 }),
      {
        do: "Have your app pay an onboarded person from the business, and press its retry button if it shows one.",
      },
    ],
    expect: ["routine-key-present"],
    proof: "One payment in the ledger. If your app retries on its own, it waits first and uses the same key.",
  },
  {
    id: "payment-without-answer-sent-again",
    title: "A payment is retried after a timeout",
    broken:
      "The next payment is created and answered only after half a minute, so a client that retries sends it again.",
    clauses: ["D13.8"],
    interfaceSays: "Same key and same meaning: the first answer again, and no second payment.",
    goodClient: "Sends the same payment again with the same key.",
    steps: [
      setFault({ operation: "createBookRoutine", times: 1, latency_ms: 30_000 }),
      {
        do: "Have your app pay an onboarded person from the business, and let it, or its job, retry the payment after the timeout.",
      },
    ],
    expect: ["routine-key-on-retry"],
    proof: "Two requests with one key, and one payment in the ledger.",
  },
  {
    id: "asked-to-wait",
    title: "The service rate-limits a call",
    broken: "The next two calls for accounts are answered with 429 and retry-after.",
    clauses: ["D5.11", "D17.1"],
    interfaceSays: "429 comes with retry-after.",
    goodClient: "Waits that long, or shows that the accounts couldn't be loaded and lets the person retry.",
    steps: [
      setFault({ operation: "listAccounts", times: 2, status: 429 }),
      openAccounts,
      { do: "Look again a few seconds later." },
    ],
    expect: ["retry-after-obeyed"],
    proof: "The call is repeated after the pause.",
  },
  {
    id: "service-fails",
    title: "The service is down for a while",
    broken: "The next thirty calls that list routines are answered with 500.",
    clauses: ["D5.12"],
    interfaceSays: "A failure says nothing about the next try.",
    goodClient: "Retries a few times with growing pauses, shows missing data as unknown, and recovers on its own.",
    steps: [
      setFault({ operation: "listRoutines", times: 30, status: 500 }),
      { do: "Open a page that lists payments, wait half a minute, and look again." },
      { call: { method: "DELETE", path: "/sandbox/faults" } },
    ],
    expect: ["retries-bounded"],
    proof: "No more than twenty calls within any ten seconds.",
  },
  {
    id: "person-disconnects",
    title: "A person disconnects",
    broken: "Nothing: a person disconnects in your app.",
    clauses: ["D10.5", "D10.6"],
    interfaceSays: "Revocation with any live token ends every authorization of that user.",
    goodClient: "Revokes the tokens before deleting them, and never uses them afterwards.",
    steps: [{ do: "Disconnect a person in your app, and let its jobs run." }],
    expect: ["revoke-on-disconnect", "nothing-after-revocation"],
    proof: "A revocation, and no call with those tokens after it.",
  },
  {
    id: "payment-fails",
    title: "A payment fails after it was created",
    broken: "A payment whose amount ends in .11 fails at settlement.",
    clauses: ["D13.7", "I.states-and-transitions.4"],
    interfaceSays: "Each status update of a transfer is announced; the record has the status and the reason.",
    goodClient: "Reads the record after the webhook and shows the payment as failed.",
    steps: [
      {
        do: "Have your app pay 10.11 to an onboarded person from the business, and wait until it shows the outcome.",
      },
    ],
    expect: ["record-read-after-event", "webhook-accepted"],
    proof: "A read after the webhook, and your app shows the payment as failed.",
  },
  {
    id: "intent-unanswered",
    title: "A person's submission gets no answer",
    broken:
      "The next user intent is created, and the connection closed without an answer. Its webhooks are held back until the end.",
    clauses: ["D6.4", "D13.8"],
    interfaceSays: "A retry with the same key is answered as the first request was.",
    goodClient:
      "Sends the same submission again with the same key, on its own or when the person presses the button again.",
    steps: [
      // A webhook would tell the app the intent's id before the person tries again.
      setWebhookFault("withhold", 1000),
      setFault({ operation: "createUserIntent", times: 1, cut: "after" }),
      { do: "Sign a person up in your app and submit them; if your app asks to try again, do." },
      releaseWebhooks,
    ],
    expect: ["intent-key-on-retry"],
    proof: "One intent for the person, whose status your app shows.",
  },
  {
    id: "sensitive-note",
    title: "A person types a Social Security number into a note",
    broken: "Nothing: a person types sensitive data.",
    clauses: ["I.metadata.9"],
    interfaceSays: "Sensitive information must not be placed in metadata.",
    goodClient: "Sends its own ids as metadata and never what people type.",
    steps: [
      {
        do: "Sign a person up in your app, and type a Social Security number, as ddd-dd-dddd, into every free-text field.",
      },
    ],
    expect: ["no-sensitive-metadata"],
    proof: "An intent with metadata that has nothing sensitive in it.",
  },
];
