import * as z from "zod/mini";
import type { Answer, ServiceClock } from "#client";
import { brandName } from "../../../brand/name.ts";
import { limits } from "../../contract/limits.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../people/session.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { readSecondsAhead, setSecondsAhead } from "./storage.ts";
import { rememberSwitchablePerson } from "./switchable-people.ts";

/** How far each clock runs ahead of real time, in seconds; undefined if unknown. */
export type Clocks = { harborSeconds: number; serviceSeconds: number | undefined };

export async function readClocks(partner: Partner): Promise<Clocks> {
  const [harborSeconds, answer] = await Promise.all([readSecondsAhead(partner.db), partner.client.readSandboxClock()]);
  return { harborSeconds, serviceSeconds: answer.kind === "ok" ? answer.body.offset_seconds : undefined };
}

/** Seconds to jump; 0 syncs Harbor's clock with the service's. */
export const jumpFields = z.object({
  seconds: z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,8}$/, "Choose how far.")), z.transform(Number)),
    z.number().check(z.maximum(limits.clockAdvanceSecondsMax, "That is too far for one jump.")),
  ),
});

/** Moves the service's clock forward, then Harbor's to the same time. */
export async function submitJump(partner: Partner, { seconds }: z.output<typeof jumpFields>): Promise<FormState> {
  const answer = await (seconds > 0 ? partner.client.advanceSandboxClock(seconds) : partner.client.readSandboxClock());
  return follow(partner, answer, "Both clocks moved ahead.");
}

/** Like `submitJump`, from a browser: it can switch back to a person whose session the jump ends. */
export async function submitJumpOf(
  partner: Partner,
  fields: z.output<typeof jumpFields>,
  person: Person,
): Promise<FormState> {
  await rememberSwitchablePerson(partner, person);
  return submitJump(partner, fields);
}

/** Sets both clocks to real time. */
export async function submitClockReset(partner: Partner): Promise<FormState> {
  return follow(
    partner,
    await partner.client.resetSandboxClock(),
    "Both clocks show real time. The connections have ended at the service.",
  );
}

async function follow(partner: Partner, answer: Answer<ServiceClock>, notice: string): Promise<FormState> {
  const { serviceName } = partner.config;
  if (answer.kind === "ok") {
    await setSecondsAhead(partner.db, answer.body.offset_seconds);
    return { problems: [], notice };
  }
  return problemAt(
    "form",
    answer.kind === "refused"
      ? `${serviceName} refused, so no clock was moved.`
      : `${serviceName} didn't report its time, so ${brandName}'s clock stays. If its clock moved, sync ${brandName}'s below.`,
  );
}
