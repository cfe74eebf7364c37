import * as z from "zod/mini";
import type { Answer } from "./answer.ts";
import { type CallService, pathSegment } from "./call-service.ts";
import { identifier, type Read, recordOf } from "./reading.ts";

/** A client's clock at the service, in seconds ahead of real time. Decision D15 */
export type ServiceClock = { offset_seconds: number };

/** A manual decision about a person. */
export type ManualDecision = {
  status: "approved" | "rejected" | "retry" | "document";
  rejection_reasons?: { code: string; message: string }[];
};

/** A manual outcome for a transfer that is still open. */
export type ManualResult = { status: "processed" | "failed" | "cancelled"; failure_reason?: string };

const readClock: Read<ServiceClock> = recordOf({ offset_seconds: z.number() });
const readDecided: Read<{ id: string }> = recordOf({ id: identifier });

/** The calls that Harbor's sandbox bar makes; a service in production answers each with 404. Decision D16 */
export function sandboxCalls(call: CallService, authorization: string) {
  const post = { method: "POST", authorization } as const;
  return {
    readSandboxClock: (): Promise<Answer<ServiceClock>> =>
      call({ method: "GET", path: "/sandbox/clock", authorization, read: readClock }),

    /** Moves this client's clock forward; anything due happens at once. */
    advanceSandboxClock: (seconds: number): Promise<Answer<ServiceClock>> =>
      call({ ...post, path: "/sandbox/clock/advance", body: { seconds }, read: readClock }),

    /** Sets this client's clock to real time, which ends its authorizations. */
    resetSandboxClock: (): Promise<Answer<ServiceClock>> =>
      call({ ...post, path: "/sandbox/clock/reset", read: readClock }),

    /** Decides a user intent in place of screening. */
    decideUserIntent: (id: string, body: ManualDecision): Promise<Answer<{ id: string }>> =>
      call({ ...post, path: `/sandbox/user_intents/${pathSegment(id)}/status`, body, read: readDecided, id }),

    /** Decides a user in place of screening. */
    decideUser: (id: string, body: ManualDecision): Promise<Answer<{ id: string }>> =>
      call({ ...post, path: `/sandbox/users/${pathSegment(id)}/status`, body, read: readDecided, id }),

    /** Finishes a transfer that is still open. */
    finishTransfer: (id: string, body: ManualResult): Promise<Answer<{ id: string }>> =>
      call({ ...post, path: `/sandbox/transfers/${pathSegment(id)}/status`, body, read: readDecided, id }),
  };
}
