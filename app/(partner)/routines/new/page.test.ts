import { createElement, type ReactNode } from "react";
import { renderToReadableStream } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { NewBatch } from "#components/partner/routines/new-batch.tsx";
import { NewRoutine } from "#components/partner/routines/new-routine.tsx";
import { withWords } from "#components/partner/testing/with-words.tsx";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";

const action = async () => unsentForm;
const accounts = [{ id: "a-1", label: "Wallet", availableCents: 2500 }];
const sellers = [{ userId: "u-1", name: "Marta Quay" }];

const idempotencyKey = "0198c0de-0000-4000-8000-000000000000";

async function textOf(form: ReactNode): Promise<string> {
  const stream = await renderToReadableStream(withWords("Other Books", form));
  await stream.allReady;
  return new Response(stream).text();
}

function oneSeller(choices: Promise<RoutineChoices>): ReactNode {
  const prefilled = { source_id: "", seller_user_id: "", amount: "", name: "" };
  return createElement(NewRoutine, {
    ...{ choices, prefilled, idempotencyKey, offer: null },
    ...{ pay: action, authorize: action },
  });
}

function manySellers(choices: Promise<RoutineChoices>): ReactNode {
  const draft = { id: "b-1", sourceId: "", list: "" };
  return createElement(NewBatch, { draft, choices, earlier: [], review: action, authorize: action });
}

test("without a connection, what was filled in returns once the business is connected", async () => {
  const prefilled = { source_id: "a-1", seller_user_id: "u-1", amount: "12.50", name: "Lamps" };
  const form = createElement(NewRoutine, {
    ...{
      choices: Promise.resolve({ kind: "reauthorization_required" as const }),
      prefilled,
      idempotencyKey,
      offer: null,
    },
    ...{ pay: action, authorize: action },
  });
  const returnTo = `/routines/new?source=a-1&amp;seller=u-1&amp;amount=12.50&amp;name=Lamps&amp;form=${idempotencyKey}`;
  expect(await textOf(form)).toContain(`name="return_to" value="${returnTo}"`);
});

describe.each([
  ["one seller", oneSeller],
  ["many sellers", manySellers],
])("the form that pays %s", (_form, formWith) => {
  async function shown(changes: Partial<RoutineChoices & { kind: "ok" }>): Promise<string> {
    const choices = { kind: "ok" as const, accounts, sellers, areSellersWhole: true, ...changes };
    return textOf(formWith(Promise.resolve(choices)));
  }

  test("says that sellers may be missing if their accounts couldn't be read", async () => {
    const page = await shown({ areSellersWhole: false });
    expect(page).toContain("Some sellers may be missing");
    expect(page).toContain("<form");
    expect(await shown({})).not.toContain("may be missing");
  });

  test("doesn't say that no seller can be paid if that's unknown", async () => {
    const page = await shown({ sellers: [], areSellersWhole: false });
    expect(page).toContain("Some sellers may be missing");
    expect(page).not.toContain("No seller can be paid yet");
    expect(await shown({ sellers: [] })).toContain("No seller can be paid yet");
  });
});
