import type { DrillRecord } from "../lib/contract/sandbox-checks.ts";
import { deliveryList } from "../lib/contract/sandbox-webhooks.ts";
import type { CallSandbox } from "./sandbox-caller.ts";

type Call = Extract<DrillRecord["steps"][number], { call: unknown }>["call"];

const faultPaths = ["/sandbox/faults", "/sandbox/webhook_faults"];

export type DrillCaller = { make: (call: Call) => Promise<string>; clearFaults: () => Promise<void> };

/** Makes a drill's calls. `clearFaults` removes the faults they set, and only reports a failure to do so. */
export function createDrillCaller(callSandbox: CallSandbox): DrillCaller {
  const set = new Set<string>();
  return {
    make: (call) => {
      // Before the call, which may go through without an answer.
      if (call.method === "PUT" && faultPaths.includes(call.path)) set.add(call.path);
      return makeDrillCall(callSandbox, call);
    },
    clearFaults: async () => {
      const paths = [...set];
      set.clear();
      for (const path of paths) {
        await callSandbox("DELETE", path).catch(({ message }: Error) =>
          console.error(`The drill's faults may still be set. Send DELETE ${path}. ${message}`),
        );
      }
    },
  };
}

/** Makes a drill's sandbox call and returns it as text, with the newest webhook's id filled in if needed. */
export async function makeDrillCall(callSandbox: CallSandbox, { method, path, body }: Call): Promise<string> {
  const filled = path.includes("{webhook_id}") ? path.replace("{webhook_id}", await newestWebhook(callSandbox)) : path;
  const answer = await callSandbox(method, filled, body);
  const request = `${method} ${filled} ${body ? JSON.stringify(body) : ""}`.trim();
  // Nothing else shows a new secret.
  return filled.endsWith("/rotate") ? `${request}\n  ${JSON.stringify(answer)}` : request;
}

async function newestWebhook(callSandbox: CallSandbox): Promise<string> {
  const [newest] = deliveryList.parse(await callSandbox("GET", "/sandbox/webhooks")).webhooks;
  if (!newest) throw new Error("No webhook has been sent yet.");
  return newest.id;
}
