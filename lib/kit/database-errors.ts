// Codes are PostgreSQL's (appendix A), or Node's for what happens to a socket.

/** Codes of a connection that this machine could not even begin: no handle, buffer or port left, or no answer from the resolver. */
export const ownFaultCodes = /^(?:E[MN]FILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL|ENETDOWN|EAI_AGAIN|EAI_MEMORY)$/i;
// Connection exceptions, shutdown, too many connections, an idle transaction that was ended; and no server at all.
const connectionLostCodes =
  /^(?:08...|57P0[1-5]|25P0[34]|53300|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ENOENT|ETIMEDOUT|E(?:HOST|NET)UNREACH|ENOTFOUND)$/;
// What pg says without a code: a connection ended, was used after its end, or could not be had in time.
const connectionLostMessages =
  /^(?:Connection terminated|Connection ended|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|This socket has been ended)/;
// Out of resources, a program limit exceeded, lock not available, a statement that took too long, what was tried again in vain, and a server that takes
// no writes because another has become the primary.
const busyCodes = /^(?:5[34]...|55P03|57014|40001|40P01|25006)$/;

/** Whether the connection to the database could not be made or broke, so that nothing is known of what was under way. */
export function isConnectionLost(error: unknown): boolean {
  return hasCause(
    error,
    (one) =>
      connectionLostCodes.test(codeOf(one)) ||
      ownFaultCodes.test(codeOf(one)) ||
      connectionLostMessages.test(one.message),
  );
}

/** Whether the database could not be reached, went away or is too busy, so that the same request may succeed in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return isConnectionLost(error) || hasCause(error, (one) => busyCodes.test(codeOf(one)));
}

/** Whether a statement gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return hasCause(error, (one) => codeOf(one) === "55P03");
}

/** Whether PostgreSQL ended the transaction for the sake of another, and says to run it again: deadlock, serialization. */
export function isTransactionConflict(error: unknown): boolean {
  return hasCause(error, (one) => codeOf(one) === "40P01" || codeOf(one) === "40001");
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function hasCause(error: unknown, fits: (error: Error) => boolean): boolean {
  if (!(error instanceof Error)) return false;
  return fits(error) || hasCause(error.cause, fits);
}
