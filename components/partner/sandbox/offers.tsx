"use client";

import type { ReactNode } from "react";
import { ToolButton } from "#components/sandbox/tools.tsx";
import type { SwitchOffer } from "#lib/partner/sandbox/switch-offers.ts";
import type { FormAction } from "../use-form-action.ts";
import { ToolForm } from "./tool-form.tsx";

type BecomeOfferProps = { offer: SwitchOffer | undefined; action: FormAction };

export function PayYourselfOffer({ offer, action }: BecomeOfferProps) {
  return offer ? (
    <Offer sentence="You can be paid. In this sandbox you can also be the operator, and the payment is already filled in.">
      <SwitchForm offer={offer} action={action} label={`Now pay yourself, as ${offer.firstName}`} />
    </Offer>
  ) : null;
}

export function SeeAsSellerOffer({ offer, action }: BecomeOfferProps) {
  return offer ? (
    <Offer sentence={`${offer.firstName} sees this payment too.`}>
      <SwitchForm offer={offer} action={action} label={`See it as ${offer.firstName}`} />
    </Offer>
  ) : null;
}

export function ConnectSellersOffer({ isSandbox, action }: { isSandbox: boolean; action: FormAction }) {
  return isSandbox ? (
    <Offer sentence="Nils and Ada are this sandbox's sellers. They onboard like every seller, but automatically.">
      <ToolForm action={action}>
        <ToolButton>Onboard Nils and Ada</ToolButton>
      </ToolForm>
    </Offer>
  ) : null;
}

function SwitchForm({
  offer: { email, returnTo },
  action,
  label,
}: {
  offer: SwitchOffer;
  action: FormAction;
  label: string;
}) {
  return (
    <ToolForm action={action}>
      <input type="hidden" name="return_to" value={returnTo} />
      <ToolButton name="email" value={email}>
        {label}
      </ToolButton>
    </ToolForm>
  );
}

function Offer({ sentence, children }: { sentence: string; children: ReactNode }) {
  return (
    <aside
      aria-label="Sandbox offer"
      className="sandbox-tools my-6 first:mt-0 flex flex-wrap items-center gap-x-6 gap-y-3 rounded-sm px-4 pt-4 pb-3 text-sm"
    >
      <p className="min-w-60 flex-1">{sentence}</p>
      {children}
    </aside>
  );
}
