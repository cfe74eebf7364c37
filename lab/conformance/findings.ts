import type { Exchange } from "./world/exchange.ts";

/** The service did otherwise than the clause says; `exchange` is the request and the answer that show it. */
export class NotMet extends Error {
  readonly exchange: Exchange | undefined;
  constructor(sentence: string, exchange?: Exchange) {
    super(sentence);
    this.exchange = exchange;
  }
}

/** Nothing can be said about the clause: what has to come first did not come about. The message says why. */
export class NotReached extends Error {
  readonly exchange: Exchange | undefined;
  constructor(why: string, exchange?: Exchange) {
    super(why);
    this.exchange = exchange;
  }
}

// An answer of "later" is neither a success nor a refusal.
const temporary = new Set([429, 502, 503, 504]);

/** Whether the request was done. What says "later" is neither. */
export function isDone(exchange: Exchange): boolean {
  const { status } = exchange.answer;
  if (temporary.has(status)) throw new NotReached(`The service was not available (${status}).`, exchange);
  return status >= 200 && status < 300;
}

/** The clause wants this request done. */
export function mustBeDone(exchange: Exchange, sentence: string): Exchange {
  if (!isDone(exchange)) throw new NotMet(sentence, exchange);
  return exchange;
}

/** The clause wants this request refused; with which status and body is not published. */
export function mustBeRefused(exchange: Exchange, sentence: string): Exchange {
  if (isDone(exchange)) throw new NotMet(sentence, exchange);
  return exchange;
}

/** The clause wants this to be so. */
export function must(holds: boolean, sentence: string, exchange?: Exchange): void {
  if (!holds) throw new NotMet(sentence, exchange);
}

/** The answer of a call that is the ground for others. */
export function groundFor(exchange: Exchange, what: string): Exchange {
  if (!isDone(exchange)) throw new NotReached(`${what}: ${exchange.answer.status}.`, exchange);
  return exchange;
}
