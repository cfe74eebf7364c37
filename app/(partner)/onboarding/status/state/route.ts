import { followUpOnboarding } from "#lib/partner/onboarding/follow-up-onboarding.ts";
import { readOnboardingState } from "#lib/partner/onboarding/onboarding-state.ts";
import { findPerson } from "#lib/partner/people/session.ts";

export async function GET(): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  const person = await findPerson();
  if (!person) return new Response(null, { status: 401, headers });
  await followUpOnboarding(person.id);
  return Response.json(await readOnboardingState(person.id), { headers });
}
