import { expect, test } from "vitest";
import { findCitus } from "./citus-cluster.ts";

test("without Citus the drill says what to install and installs nothing", () => {
  expect(() => findCitus("/nowhere")).toThrow(
    "This drill needs a PostgreSQL with Citus 13 or later, and found none in /nowhere. Install Citus's packages",
  );
});
