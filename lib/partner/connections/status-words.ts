// Which words a service has for these is not published (Decisions D7, D12). One that is not known here refuses nothing: the
// service itself says no to a payment that it does not want.
const closedAccount = /^(closed|inactive|disabled|suspended|frozen|blocked|locked|restricted|deleted|archived)$/i;
const unpayableUser =
  /^(pending|retry|document|rejected|suspended|declined|denied|closed|inactive|disabled|blocked|deactivated|deleted)$/i;

/** Whether an account's status says that nothing can be paid from or to it; one that is unknown, or not told, does not. */
export function isClosedAccount(status: string | undefined): boolean {
  return closedAccount.test(status ?? "");
}

/** Whether a user's status says that they cannot be paid, or cannot pay. */
export function isUnpayableUser(status: string): boolean {
  return unpayableUser.test(status);
}

/** Whether a user's status says that a decision about them is still open. */
export function isAwaitingDecision(status: string): boolean {
  return /^(pending|retry|document)$/i.test(status);
}
