import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import type { BatchPaymentView, BatchView } from "#lib/partner/routines/batch-view.ts";
import { withWords } from "../testing/with-words.tsx";
import { BatchPage } from "./batch-page.tsx";
import { BatchTable } from "./batch-table.tsx";

const action = async () => unsentForm;

function paymentOf(changes: Partial<BatchPaymentView> = {}): BatchPaymentView {
  return {
    ...{ line: 2, amountCents: 1250, name: "Lamps", state: "waiting", reason: null, otherRoutineId: null },
    ...{ sellerName: "Marta Quay", email: "m•••@example.com", routineId: null, routineState: null, status: null },
    ...changes,
  };
}

const sent = paymentOf({ state: "sent", routineId: "r-1", routineState: "open", status: "active" });
const notMade = paymentOf({ state: "not_made", reason: "insufficient_funds" });

function batchOf(payments: BatchPaymentView[], changes: Partial<BatchView> = {}): BatchView {
  return {
    ...{ id: "b-1", sourceId: "a-1", digest: "d", confirmedAt: "2026-01-31T09:30:00.000Z", sameAs: null },
    payments: payments.map((payment, at) => ({ ...payment, line: at + 2 })),
    totalCents: payments.reduce((total, { amountCents }) => total + amountCents, 0),
    waiting: payments.filter(({ state }) => state === "waiting").length,
    unmade: payments.filter(({ state }) => state === "not_made").length,
    ...changes,
  };
}

function textOf(markup: string): string {
  return markup
    .replaceAll(/<template.*?<\/template>|<script.*?<\/script>|<!--.*?-->/gs, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&#x27;", "'")
    .replaceAll(/\s+/g, " ");
}

describe("a batch's page", () => {
  const shown = (payments: BatchPaymentView[]) =>
    renderToStaticMarkup(
      withWords("Other Books", createElement(BatchPage, { initial: batchOf(payments), retry: action })),
    );

  test.each<[string, BatchPaymentView[], string, boolean]>([
    ["all are sent", [sent, sent], "2 of 2 payments sent.", false],
    ["some wait", [sent, notMade, paymentOf()], "1 of 3 payments sent. You can leave this page", false],
    ["some weren't made", [sent, notMade, notMade], "1 of 3 payments sent. 2 weren't made.", true],
  ])(
    "shows how many are sent when %s, and offers a retry only once all are decided",
    (_what, payments, text, isOffered) => {
      expect(textOf(shown(payments))).toContain(text);
      expect(shown(payments).includes('name="batch_id" value="b-1"')).toBe(isOffered);
    },
  );
});

test.each<[string, Partial<BatchPaymentView>, string, string | undefined]>([
  ["isn't confirmed", { state: "draft" }, "Not sent", undefined],
  ["waits", {}, "Waiting", undefined],
  ["waits for a busy service", { reason: "busy" }, "Waiting, service is busy", undefined],
  ["waits for the service to be back", { reason: "not_sent" }, "Waiting, service isn't available", undefined],
  ["waits for a comparison", { reason: "comparing" }, "Checking earlier payments", undefined],
  ["was refused", notMade, "Not enough money", undefined],
  ["was refused for an unknown reason", { ...notMade, reason: "odd_reason" }, "Odd reason", undefined],
  [
    "may match an unanswered payment",
    { ...notMade, reason: "twin_unanswered", otherRoutineId: "r-2" },
    "May be paid already",
    "/routines/r-2",
  ],
  [
    "was found at the service",
    { ...notMade, reason: "found", otherRoutineId: "r-3" },
    "May be paid already",
    "/routines/r-3",
  ],
  ["was sent", sent, "Active", "/routines/r-1"],
  [
    "was sent, although a worker recorded a refusal",
    { ...sent, ...notMade, routineId: "r-1", routineState: "failed", status: "failed" },
    "Failed",
    "/routines/r-1",
  ],
])("a line that %s shows its state, and links to its payment", (_what, changes, text, href) => {
  const row = renderToStaticMarkup(
    withWords("Other Books", createElement(BatchTable, { payments: [paymentOf(changes)] })),
  );
  expect(textOf(row)).toMatch(new RegExp(`Lamps .*m•••@example\\.com.* ${text} \\$12\\.50 $`));
  expect(/href="([^"]*)"/.exec(row)?.[1]).toBe(href);
});
