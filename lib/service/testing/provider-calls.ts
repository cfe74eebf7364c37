import type { TestClient } from "./clients.ts";

/** This process's calls to a provider so far, as its metrics count them. */
export async function countProviderCalls(
  { call }: Pick<TestClient, "call">,
  provider: "screening" | "photo_ids",
): Promise<{ answered: number; failed: number }> {
  const { text } = await call("GET", "/metrics", { authorization: null });
  const countOf = (outcome: string) => {
    const series = new RegExp(
      `^plainbook_provider_calls_total\\{provider="${provider}",outcome="${outcome}"\\} (\\d+)$`,
      "m",
    );
    return Number(series.exec(text)?.[1] ?? 0);
  };
  return { answered: countOf("answered"), failed: countOf("failed") };
}
