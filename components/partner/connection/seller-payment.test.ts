import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { readMoney } from "#client";
import type { SellerPayment } from "#lib/partner/connections/seller-payments.ts";
import type { Locale } from "#lib/partner/words/locales.ts";
import { withWords } from "../testing/with-words.tsx";
import { LastKnown } from "./last-known.tsx";
import { usePaymentsAnnouncement } from "./payments-card.tsx";
import { SellerPaymentDetails } from "./seller-payment.tsx";
import { SellerPaymentTable } from "./seller-payment-table.tsx";
import { PaymentsUnavailable } from "./seller-payments.tsx";
import { StatementContent } from "./statement-content.tsx";
import { WeeksChart } from "./weeks-chart.tsx";

const payment: SellerPayment = {
  id: "t-1",
  routine_name: "Sales of June",
  amount: readMoney(125.5),
  status: "processed",
  meaning: "succeeded",
  created_at: "2026-06-30T09:30:00.000Z",
  updated_at: "2026-06-30T09:30:02.000Z",
};
const takenBack: SellerPayment = {
  ...payment,
  id: "t-2",
  created_at: "2026-07-02T09:30:00.000Z",
  returned: { transferId: "t-1", reason: "account_closed" },
};

const readAt = "2026-07-03T14:41:00.000Z";

function render(children: ReactNode, locale?: Locale): string {
  return renderToStaticMarkup(withWords("Other Books", children, locale));
}

function details(shown: SellerPayment, back?: SellerPayment | "unknown", locale?: Locale): string {
  const view = { kind: "ok" as const, readAt, payment: shown, return: back };
  return render(createElement(SellerPaymentDetails, { view }), locale);
}

function row(shown: SellerPayment, locale?: Locale): string {
  return render(createElement(SellerPaymentTable, { label: "Payments", payments: [shown] }), locale);
}

test("a pending payment says what comes next", () => {
  const page = details({ ...payment, status: "pending", meaning: "open" });
  expect(page).toContain("This payment is on its way");
  expect(page).toContain("Not yet");
  expect(page).not.toContain("Arrived in your account");
});

test("a payment that arrived says so", () => {
  const page = details(payment);
  expect(page).toContain("This payment has arrived");
  expect(page).toContain("Arrived in your account");
  expect(page).not.toContain("Not yet");
  expect(page).toContain("Jun 30, 9:30 AM");
});

test("a payment that didn't arrive says why", () => {
  const failed = { ...payment, status: "failed", meaning: "failed" as const, failure_reason: "account_closed" };
  expect(details(failed)).toContain("The receiving account is closed. The money went back to Harbor");
});

test("a returned payment is not shown as money in the account", () => {
  const page = details(payment, takenBack);
  expect(page).toContain("This payment was returned");
  expect(page).toContain("Returned</span>");
  expect(page).not.toContain("Arrived</span>");
  expect(page).toContain("/dashboard/payments/t-2");
  expect(page).not.toContain("This payment has arrived");
});

test("a payment that may have been returned isn't shown as in the account", () => {
  const page = details(payment, "unknown");
  expect(page).toContain("whether it was returned later");
  expect(page).not.toContain("The money is in your account");
});

test("a return is subtracted from the balance and links to its payment", () => {
  expect(row(payment)).toContain("+$125.50");
  expect(row(takenBack)).toContain("\u2212$125.50");
  expect(row(takenBack)).not.toContain("+$125.50");
  const page = details(takenBack);
  expect(page).toContain("This money went back to Harbor");
  expect(page).toContain("/dashboard/payments/t-1");
});

test.each([
  [125.5, "lowered your balance by $125.50.", "bajó en $125.50."],
  [125.503, "lowered your balance by about $125.50.", "bajó en unos $125.50."],
  [undefined, "lowered your balance by an unknown amount.", "bajó en un monto desconocido."],
])("a returned payment of %s says what that did to the balance", (amount, english, spanish) => {
  const back = { ...takenBack, amount: readMoney(amount) };
  expect(details(payment, back)).toContain(`That ${english}`);
  expect(details(payment, back, "es-US")).toContain(`Su saldo ${spanish}`);
});

test("a payment is shown in Spanish, with dates and reasons", () => {
  const page = details(payment, takenBack, "es-US");
  expect(page).toContain("Este pago se devolvió");
  expect(page).toContain("Motivo: La cuenta");
  expect(page).toContain("30 jun");
  expect(row(payment, "es-US")).toContain("Recibido");
  expect(row(takenBack, "es-US")).toContain("Pago devuelto");
});

describe("the stale data notice", () => {
  const known = { readAt, isLastKnown: false, isError: false };

  test("is absent while data is current", () => {
    expect(render(createElement(LastKnown, known))).toBe("");
  });

  test.each([
    ["the service doesn't answer", { isLastKnown: true }, "reach Other Books"],
    ["Harbor doesn't answer", { isError: true }, "reach Harbor"],
    ["Harbor doesn't answer, after an outage of the service", { isLastKnown: true, isError: true }, "reach Harbor"],
  ])("gives the time and the cause if %s", (_what, changes, cause) => {
    const page = render(createElement(LastKnown, { ...known, ...changes }));
    expect(page).toContain(cause);
    expect(page).toContain("2:41 PM");
    expect(page).not.toContain("right now");
  });
});

test("without a connection, the page offers to connect and doesn't promise to retry", () => {
  const page = render(createElement(PaymentsUnavailable, { kind: "reauthorization_required" }));
  expect(page).toContain("Harbor isn&#x27;t connected");
  expect(page).not.toMatch(/right now|keep trying/);
  expect(render(createElement(PaymentsUnavailable, { kind: "unavailable" }))).toContain("keep trying");
});

test("screen readers get the weeks' full amounts; the chart shows short ones", () => {
  const weeks = [
    { startsOn: "2026-03-01", cents: 123_456 },
    { startsOn: "2026-03-08", cents: 0 },
  ];
  const page = render(createElement(WeeksChart, { weeks }));
  expect(page).toContain("$1,234.56 in the last 2 weeks");
  expect(page).toContain("<li>Week of Mar 1: $1,234.56</li><li>Week of Mar 8: $0.00</li>");
  expect(page).toContain(">$1.2K</text>");
  expect(page).not.toContain(">$0</text>");
  expect(render(createElement(WeeksChart, { weeks }), "es-US")).toContain("Semana del 8 mar: $0.00");
});

test("a statement has dates and totals, and says if a total lacks an amount", () => {
  const statement = { kind: "ok" as const, readAt, payments: [payment, takenBack], isComplete: true };
  const totals = { arrivedCents: 30_050, returnedCents: 12_550 };
  const page = render(createElement(StatementContent, { name: "Marta Quay", statement: { ...statement, ...totals } }));
  for (const text of ["Marta Quay", "Jun 30, 2026", "$300.50", "$175.00"]) expect(page).toContain(text);
  expect(page).not.toContain("unknown amount");
  const none = { ...statement, arrivedCents: 30_050, returnedCents: 0 };
  expect(render(createElement(StatementContent, { name: "Marta Quay", statement: none }))).not.toContain("\u2212$0.00");
  const inexact = { ...statement, ...totals, isComplete: false };
  expect(render(createElement(StatementContent, { name: "Marta Quay", statement: inexact }))).toContain(
    "unknown amount",
  );
});

type Dashboard = Parameters<ReturnType<typeof usePaymentsAnnouncement>>[0];

function PaymentsAnnouncement({ before, now }: { before: Dashboard; now: Dashboard }): string {
  return usePaymentsAnnouncement()(before, now);
}

describe("a screen reader announces", () => {
  const account = {
    ...{ id: "a-1", name: "Wallet", mask: "1234", status: "open" },
    ...{ current_balance: readMoney(200), available_balance: readMoney(100) },
  };

  function dashboard(transfers: SellerPayment[] | undefined, accounts = [account]): Dashboard {
    return {
      ...{ kind: "ok", readAt, transfers, connection: { kind: "disconnected" } },
      accounts: { items: accounts, isWhole: true },
    } as Dashboard;
  }

  function announcementOf(before: Dashboard, now: Dashboard): string {
    return render(createElement(PaymentsAnnouncement, { before, now })).replaceAll("&#x27;", "'");
  }

  const open: SellerPayment = { ...payment, status: "pending", meaning: "open" };
  const failed: SellerPayment = { ...payment, meaning: "failed", failure_reason: "account_closed" };

  test.each<[string, Dashboard, Dashboard, string]>([
    ["nothing if nothing changed", dashboard([open]), dashboard([open]), ""],
    ["a new payment", dashboard([]), dashboard([open]), "$125.50 for Sales of June is on its way."],
    [
      "an arrival, with the balance",
      dashboard([open]),
      dashboard([payment]),
      "$125.50 for Sales of June has arrived. Your balance is $200.00.",
    ],
    [
      "an arrival without a balance if there are several accounts",
      dashboard([open]),
      dashboard([payment], [account, account]),
      "$125.50 for Sales of June has arrived.",
    ],
    [
      "why a payment didn't arrive, without a balance",
      dashboard([open]),
      dashboard([failed]),
      "$125.50 for Sales of June didn't arrive: The receiving account is closed.",
    ],
    [
      "a return",
      dashboard([payment]),
      dashboard([takenBack, payment]),
      "A payment of $125.50 was returned. Your balance is $200.00.",
    ],
    ["nothing while the payments can't be read", dashboard(undefined), dashboard([payment]), ""],
    ["nothing without a connection", { kind: "unavailable", isAnswered: true }, dashboard([payment]), ""],
  ])("%s", (_what, before, now, expected) => {
    expect(announcementOf(before, now)).toBe(expected);
  });
});
