import { readMetrics } from "../operations/read-metrics.ts";
import { answerRequest } from "./frame/answer-request.ts";

/** `GET /metrics`, for the operator's own scraper: no part of the API, so neither versioned nor in its document. */
export function answerMetrics(request: Request): Promise<Response> {
  return answerRequest(request, { operation: "readMetrics" }, async () => {
    const { contentType, text } = await readMetrics();
    return { status: 200, bodyText: text, headers: { "content-type": contentType } };
  });
}
