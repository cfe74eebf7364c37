import { limits } from "../../contract/limits.ts";
import { isDatabaseUnavailable } from "../../kit/database-errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { processWide } from "../../kit/memoize.ts";
import { OutcomeUnknownError } from "../../kit/transaction.ts";
import { serviceConfig } from "../config.ts";
import type { VisitKey } from "../operations/visits/read-visit.ts";
import { isPhotoIdAwaited, uploadPhotoId } from "../operations/visits/submit-identity.ts";
import { ProviderFailedError } from "../providers.ts";
import { answerRefusalPage } from "./refusal-page.ts";
import { visitPath } from "./visit-cookie.ts";

/** Concurrent uploads per process. Each takes several times its size in memory. */
export const uploadsMax = 8;

const uploading = processWide("service.photo_uploads", () => new Set<string>());

/**
 * Answers the form of the document step: 303 to the visit's page, which shows the result. Requires our own origin, and
 * reads the body only if the visit awaits a photo ID and the size is allowed. Answers 503 beyond one upload per visit or
 * `uploadsMax` per process, and while the database or the provider that stores photo IDs is down; 400 if the upload was
 * cut off. Decision D9
 */
export async function answerPhotoIdUpload(request: Request, key: VisitKey): Promise<Response> {
  if (request.headers.get("x-gangway-app") !== "service") return answer(404);
  if (request.headers.get("origin") !== new URL(serviceConfig().authUrl).origin) return answer(403);
  const location = visitPath(key.visitId);
  const visits = uploading();
  const isFull = () => visits.has(key.visitId) || visits.size >= uploadsMax;
  const busy = "Another photo is still being uploaded, so this one wasn’t saved.";
  try {
    // Checked again after the query, because others may have begun.
    if (isFull()) return answerUnavailable(request, location, busy);
    if (!(await isPhotoIdAwaited(key))) return answer(303, { location });
    if (isFull()) return answerUnavailable(request, location, busy);
    visits.add(key.visitId);
    try {
      const photo = await readPhoto(request);
      if (photo === "interrupted") return answerInterrupted(request, location);
      await uploadPhotoId(key, photo);
    } finally {
      visits.delete(key.visitId);
    }
    return answer(303, { location });
  } catch (error) {
    if (!(error instanceof ProviderFailedError) && !isDatabaseUnavailable(error)) throw error;
    log().warn({ error: describeError(error) }, "a photo could not be stored");
    if (error instanceof OutcomeUnknownError) return answerUnknownOutcome(request, location);
    return answerUnavailable(request, location, "Something went wrong on our side, so your photo wasn’t saved.");
  }
}

function answerUnavailable(request: Request, location: string, why: string): Response {
  const content = {
    title: failureTitle,
    paragraphs: [why, "Go back, wait a few seconds, and try again."],
    wayBack: { href: location, label: "Go back" },
  };
  return answerRefusalPage(request.headers, content, busyOptions);
}

function answerUnknownOutcome(request: Request, location: string): Response {
  const content = {
    title: "We don’t know whether your photo was saved",
    paragraphs: ["Something went wrong on our side. Continue, and upload it again if you’re asked to."],
    wayBack: { href: location, label: "Continue" },
  };
  return answerRefusalPage(request.headers, content, busyOptions);
}

function answerInterrupted(request: Request, location: string): Response {
  const content = {
    title: failureTitle,
    paragraphs: ["The upload was interrupted, so your photo wasn’t saved.", "Go back and try again."],
    wayBack: { href: location, label: "Go back" },
  };
  return answerRefusalPage(request.headers, content);
}

const failureTitle = "We couldn’t upload your photo";
const busyOptions = { status: 503, headers: { "retry-after": "5" } };

// undefined if it's too large. Without content-length, which browsers always send, nothing is read.
async function readPhoto(request: Request): Promise<Uint8Array | "interrupted" | undefined> {
  const bytes = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  if (!(bytes <= limits.photoIdFormBytesMax)) return undefined;
  const form = await request.formData().catch(() => undefined);
  if (!form) return "interrupted";
  const photo = form.get("photo");
  return photo instanceof File ? new Uint8Array(await photo.arrayBuffer()) : new Uint8Array();
}

function answer(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status,
    headers: { "cache-control": "no-store", "referrer-policy": "no-referrer", ...headers },
  });
}
