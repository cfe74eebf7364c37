import type { Metadata } from "next";
import { NewRoutine } from "#components/partner/routines/new-routine.tsx";
import { ConnectSellersOffer } from "#components/partner/sandbox/offers.tsx";
import { partnerConfig } from "#lib/partner/config.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { readPrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";
import { readRoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { authorizeBusiness } from "../../business/actions.ts";
import { connectSellers } from "../../sandbox-actions.ts";
import { paySeller } from "./actions.ts";

export const metadata: Metadata = { title: "Pay a seller" };

type Props = { searchParams: Promise<Parameters<typeof readPrefilledPayment>[0]> };

export default async function NewRoutinePage({ searchParams }: Props) {
  await requirePerson({ role: "operator", returnTo: "/routines/new" });
  // A new key each time the page is shown: each form is one payment, however often it is sent.
  const idempotencyKey = crypto.randomUUID();
  return (
    <NewRoutine
      choices={readRoutineChoices()}
      idempotencyKey={idempotencyKey}
      prefilled={readPrefilledPayment(await searchParams)}
      offer={<ConnectSellersOffer isSandbox={partnerConfig().isSandbox} action={connectSellers} />}
      pay={paySeller}
      authorize={authorizeBusiness}
    />
  );
}
