import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { NewRoutine } from "#components/partner/routines/new-routine.tsx";
import { ConnectSellersOffer } from "#components/partner/sandbox/offers.tsx";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import {
  addressOfPayment,
  addressToResume,
  type PaymentQuery,
  readPrefilledPayment,
} from "#lib/partner/routines/prefilled-payment.ts";
import { readRoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { addressOfResumed, formKeyOf } from "#lib/partner/routines/submit-payment.ts";
import { words } from "#lib/partner/words/words.ts";
import { authorizeBusiness } from "../../business/actions.ts";
import { connectSellers } from "../../sandbox-actions.ts";
import { paySeller } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("pay.one")("title") };
}

type Props = { searchParams: Promise<PaymentQuery> };

export default async function NewRoutinePage({ searchParams }: Props) {
  const query = await searchParams;
  await requirePerson({ role: "operator", returnTo: addressToResume(query) });
  const prefilled = readPrefilledPayment(query);
  if (query.resumed !== undefined) redirect(await addressOfResumed(partner(), prefilled, query.form));
  // The key is in the URL, so that a reload, with or without scripts, keeps the same payment.
  const idempotencyKey = await formKeyOf(partner(), query.form);
  if (idempotencyKey === undefined) redirect(addressOfPayment(prefilled, crypto.randomUUID()));
  return (
    <NewRoutine
      choices={readRoutineChoices(partner())}
      idempotencyKey={idempotencyKey}
      prefilled={prefilled}
      offer={<ConnectSellersOffer isSandbox={partner().config.isSandbox} action={connectSellers} />}
      pay={paySeller}
      authorize={authorizeBusiness}
    />
  );
}
