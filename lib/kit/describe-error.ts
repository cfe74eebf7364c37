/**
 * What a log line may say of an unexpected error: its name, code, message and frames. Of a failed query the statement is
 * kept and its parameters are not, because they may be personal. The code is called errorCode: the log redacts a `code`, which
 * may be a person's.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: "Something that is no Error was thrown." };
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  if ("query" in error && error.cause instanceof Error) {
    return { ...describeError(error.cause), query: error.query, frames };
  }
  const errorCode = "code" in error ? error.code : undefined;
  return { name: error.name, message: error.message, ...(errorCode !== undefined && { errorCode }), frames };
}

/** An unexpected error in one line, for whoever started a command. Never empty: of several attempts it tells why each failed. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return "Something that is no Error was thrown.";
  if (error instanceof AggregateError && error.message === "") return error.errors.map(sentenceOf).join("; ");
  return error.message || error.name;
}
