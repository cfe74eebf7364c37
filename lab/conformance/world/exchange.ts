/** `basic` and `bearer` set the Authorization header; use at most one of `json`, `form`, and `raw`. */
export type RequestSpec = {
  method: string;
  /** A path or a full URL. */
  to: string;
  basic?: { id: string; secret: string };
  bearer?: string;
  json?: unknown;
  form?: Record<string, string>;
  raw?: { type: string; body: BodyInit };
  headers?: Record<string, string>;
};

/** `json` is undefined for a non-JSON body. */
export type Answer = { status: number; headers: Headers; text: string; json: unknown };

export type Exchange = { method: string; url: string; headers: Record<string, string>; body: string; answer: Answer };

/** Sends a request without following redirects. Throws `NotReached` on a timeout. */
export type Send = (request: RequestSpec) => Promise<Exchange>;
