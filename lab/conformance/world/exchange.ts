/** What is sent. `basic` and `bearer` become the Authorization header; of `json`, `form` and `raw` at most one is there. */
export type Ask = {
  method: string;
  /** A path below the base address, or a whole address. */
  to: string;
  basic?: { id: string; secret: string };
  bearer?: string;
  json?: unknown;
  form?: Record<string, string>;
  raw?: { type: string; body: BodyInit };
  headers?: Record<string, string>;
};

/** `json` is undefined when the body is no JSON. */
export type Answer = { status: number; headers: Headers; text: string; json: unknown };

/** A request as it was sent, and what came back. */
export type Exchange = { method: string; url: string; headers: Record<string, string>; body: string; answer: Answer };

/** Sends a request and reads its answer whole; redirects are answers. Throws `NotReached` when none comes in time. */
export type Send = (ask: Ask) => Promise<Exchange>;
