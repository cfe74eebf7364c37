import { expect, test, vi } from "vitest";
import { servicePool } from "../../storage/database.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { authenticateAccessToken } from "./authenticate.ts";

test("a lookup whose connection hangs doesn't delay others", async () => {
  const { businessToken } = await createClientWithSeller();
  const hanging = vi.spyOn(servicePool(), "query").mockImplementationOnce(() => new Promise(() => {}));
  void authenticateAccessToken(businessToken);
  await expect.poll(() => hanging.mock.calls.length).toBe(1);
  expect(await authenticateAccessToken(businessToken)).toMatchObject({ kind: "valid" });
  hanging.mockRestore();
});
