// The service's status words are not published (Decisions D7, D12). An unknown word blocks nothing here: the service itself
// refuses payments that it doesn't want.
const closedAccount = /^(closed|inactive|disabled|suspended|frozen|blocked|locked|restricted|deleted|archived)$/i;
const unpayableUser =
  /^(pending|retry|document|rejected|suspended|declined|denied|closed|inactive|disabled|blocked|deactivated|deleted)$/i;

/** Whether an account can't send or receive money. */
export function isClosedAccount(status: string | undefined): boolean {
  return closedAccount.test(status ?? "");
}

/** Whether a user can't be paid or pay. */
export function isUnpayableUser(status: string): boolean {
  return unpayableUser.test(status);
}

/** Whether the decision about a user is still open. */
export function isAwaitingDecision(status: string): boolean {
  return /^(pending|retry|document)$/i.test(status);
}
