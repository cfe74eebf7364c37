import { expect, test } from "vitest";
import { moveCell } from "./cell-nodes.ts";
import { servicePool } from "./database.ts";

// On Citus, the drill moves cells and checks the other refusals (lab/crash/drill-citus.ts).
test("a cell of a database that isn't on Citus can't move", async () => {
  const moving = moveCell(servicePool(), { cell: 1, to: "10.0.0.7:5432", cells: [1] });
  await expect(moving).rejects.toThrow("This database isn't on Citus, so its cells can't move.");
});
