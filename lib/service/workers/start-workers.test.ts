import { afterEach, expect, test } from "vitest";
import { stalledLoops } from "../../kit/wake-loop.ts";
import { chooseProviders, productionProviders, providers } from "../providers.ts";
import { startServiceWorkers } from "./start-workers.ts";

const before = providers();
afterEach(() => chooseProviders(before));

const always = ["reconciler", "screening", "settlement", "sweeper", "webhook sender"];
const fails = () => Promise.reject(new Error("No provider is called here."));
const screening = { ask: fails, poll: fails };
const all = {
  screening,
  sendText: fails,
  settlement: { order: fails, poll: fails },
  photoIds: { put: fails, get: fails, delete: fails },
};

test.each([
  ["alone", { screening }, []],
  ["with a text carrier", { screening, sendText: fails }, ["text sender"]],
  ["with all providers", all, ["photo deletion", "settlement orders", "text sender"]],
])("production %s runs only the workers it needs", async (_which, module, more) => {
  chooseProviders(productionProviders(module));
  const workers = startServiceWorkers();
  try {
    const names = stalledLoops().map(([name]) => name);
    expect(names.toSorted()).toEqual([...always, ...more].toSorted());
  } finally {
    await workers.stop();
  }
  expect(stalledLoops()).toEqual([]);
});
