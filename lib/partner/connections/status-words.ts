// The service's status words are not published (Decisions D7, D12). An unknown word blocks nothing here: the service itself
// refuses payments that it doesn't want.
const closedAccount = /^(closed|inactive|disabled|suspended|frozen|blocked|locked|restricted|deleted|archived)$/i;
const unpayableUser =
  /^(pending|retry|document|rejected|suspended|declined|denied|closed|inactive|disabled|blocked|deactivated|deleted)$/i;

export function isClosedAccount(status: string | undefined): boolean {
  return closedAccount.test(status ?? "");
}

export function isUnpayableUser(status: string): boolean {
  return unpayableUser.test(status);
}

export function isAwaitingDecision(status: string): boolean {
  return /^(pending|retry|document)$/i.test(status);
}
