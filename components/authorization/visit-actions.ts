/** What a person can do on a visit's pages, as server actions: each takes the form of the button that was pressed. */
export type VisitActions = Record<
  "verify" | "resend" | "correct" | "authorize" | "cancel",
  (form: FormData) => Promise<void>
>;
