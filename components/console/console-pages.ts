/** The console's pages by group, as its navigation shows them. */
export const consolePages = [
  [
    "Observe",
    [
      ["/console", "Timeline"],
      ["/console/requests", "Requests"],
      ["/console/webhooks", "Webhooks"],
    ],
  ],
  [
    "Data",
    [
      ["/console/people", "People"],
      ["/console/tokens", "Tokens"],
      ["/console/money", "Money"],
      ["/console/keys", "Idempotency keys"],
      ["/console/settings", "Settings"],
    ],
  ],
  [
    "Break",
    [
      ["/console/faults", "Faults"],
      ["/console/clock", "Clock"],
    ],
  ],
  [
    "Prove",
    [
      ["/console/drills", "Drills"],
      ["/console/checks", "Checks"],
    ],
  ],
] as const;
