import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip as zlibGzip } from "node:zlib";
import { memoize } from "../../../kit/memoize.ts";
import type { Reply } from "../frame/answer-request.ts";

/** Something that is the same for every reader. */
export type StaticFile = {
  /** Of the content, so that a name or an ETag made of it changes with the content. */
  hash: string;
  type: string;
  plain: Bytes;
  compressed: () => Promise<Record<Encoding, Bytes>>;
};

type Bytes = Uint8Array<ArrayBuffer>;
type Encoding = (typeof encodings)[number];

const encodings = ["br", "gzip"] as const;

/**
 * One copy of each form for all readers, compressed once, off the main thread, when the first of them asks. Brotli's higher
 * qualities take seconds and save a tenth.
 */
export function staticFile(content: string | Uint8Array, type: string): StaticFile {
  const plain: Bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  const hash = createHash("sha256").update(plain).digest("hex").slice(0, 16);
  const compressed = memoize(async () => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    const [br, gzipped] = await Promise.all([brotli(plain, { params }), gzip(plain, { level: 9 })]);
    return { br: new Uint8Array(br), gzip: new Uint8Array(gzipped) };
  });
  return { hash, type, plain, compressed };
}

/** Answers with a file whose name changes with its content. */
export async function replyForEver(file: StaticFile, request: Request): Promise<Reply> {
  return replyWith(file, request, { "cache-control": "public, max-age=31536000, immutable" });
}

/** Answers with a file whose address stays: a reader who has it already is told so and gets no byte of it again. */
export async function replyUnlessKnown(
  file: StaticFile,
  request: Request,
  more: Record<string, string>,
): Promise<Reply> {
  const headers = { ...more, "cache-control": "no-cache", etag: `W/"${file.hash}"`, vary: "accept-encoding" };
  const known = request.headers.get("if-none-match")?.split(/\s*,\s*/) ?? [];
  return known.includes(headers.etag) ? { status: 304, body: undefined, headers } : replyWith(file, request, headers);
}

async function replyWith(file: StaticFile, request: Request, more: Record<string, string>): Promise<Reply> {
  const accepted = request.headers.get("accept-encoding") ?? "";
  // A font is compressed by its format.
  const encoding = file.type.startsWith("font/") ? undefined : encodings.find((name) => isAccepted(name, accepted));
  return {
    status: 200,
    bytes: encoding ? (await file.compressed())[encoding] : file.plain,
    headers: {
      "content-type": file.type,
      vary: "accept-encoding",
      ...more,
      ...(encoding && { "content-encoding": encoding }),
    },
  };
}

const brotli = promisify(brotliCompress);
const gzip = promisify(zlibGzip);

function isAccepted(encoding: string, header: string): boolean {
  const named = header.split(",").map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  return named.some(([name, weight]) => name === encoding && !/^q=0(?:\.0*)?$/.test(weight ?? ""));
}
