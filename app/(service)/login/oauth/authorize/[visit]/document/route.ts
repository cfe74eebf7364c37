import { answerPhotoIdUpload } from "#lib/service/pages/photo-id-upload.ts";
import { readVisitKey } from "../../visit-key.ts";

export async function POST(request: Request, { params }: { params: Promise<{ visit: string }> }): Promise<Response> {
  const { visit } = await params;
  return answerPhotoIdUpload(request, await readVisitKey(visit));
}
