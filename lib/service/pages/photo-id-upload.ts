import { limits } from "../../contract/limits.ts";
import { serviceConfig } from "../config.ts";
import { isPhotoIdAwaited, uploadPhotoId } from "../operations/visits/submit-identity.ts";
import type { VisitKey } from "../operations/visits/visit-key.ts";
import { visitPath } from "./visit-cookie.ts";

/**
 * Answers the form of the document step: 303 to the visit's page, which says what became of it. Only a form of our own
 * origin counts, and no byte is read for a visit that waits for no photo ID, nor of a body that is too large. Decision D9
 */
export async function answerPhotoIdUpload(request: Request, key: VisitKey): Promise<Response> {
  if (request.headers.get("x-gangway-app") !== "service") return answer(404);
  if (request.headers.get("origin") !== new URL(serviceConfig().authUrl).origin) return answer(403);
  if (await isPhotoIdAwaited(key)) await uploadPhotoId(key, await readPhoto(request));
  return answer(303, { location: visitPath(key.visitId) });
}

// undefined when it is too large. A browser always says how long its form is; without that nothing is read.
async function readPhoto(request: Request): Promise<Uint8Array | undefined> {
  const bytes = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  if (!(bytes <= limits.photoIdFormBytesMax)) return undefined;
  const form = await request.formData().catch(() => undefined);
  const photo = form?.get("photo");
  return photo instanceof File ? new Uint8Array(await photo.arrayBuffer()) : new Uint8Array();
}

function answer(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status,
    headers: { "cache-control": "no-store", "referrer-policy": "no-referrer", ...headers },
  });
}
