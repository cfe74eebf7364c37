"use client";

import { useState } from "react";
import { Money } from "#components/ui/money.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { RoutineListItem } from "#lib/partner/routines/routine-view.ts";
import { useWords } from "#use-words";
import { paymentLines } from "../payment-lines.ts";
import { toneOfState, useStatusWords } from "../status-words.ts";

export function RoutineTable({ label, routines }: { label: string; routines: RoutineListItem[] }) {
  const t = useWords("paid");
  const wordsOf = useStatusWords();
  const [first] = useState(() => new Set(routines.map(({ id }) => id)));
  return (
    <Table aria-label={label}>
      <Thead>
        <Tr>
          <Th>{t("columns.what")}</Th>
          <Th>{t("columns.seller")}</Th>
          <Th>{t("columns.date")}</Th>
          <Th>{t("columns.status")}</Th>
          <Th align="right">{t("columns.amount")}</Th>
        </Tr>
      </Thead>
      <Tbody className={paymentLines.body}>
        {routines.map(({ id, name, sellerName, createdAt, state, status, amountCents }) => (
          <Tr key={id} className={`${paymentLines.row} ${first.has(id) ? "" : "arrival"}`}>
            <Td className={paymentLines.what}>
              <TextLink href={`/routines/${id}`} className="@max-lg:after:absolute @max-lg:after:inset-0">
                {name}
              </TextLink>
            </Td>
            <Td className={paymentLines.who}>{sellerName || t("unknownAccount")}</Td>
            <Td className={paymentLines.when}>
              <RelativeTime at={createdAt} />
            </Td>
            <Td className={paymentLines.status}>
              <StatusBadge tone={toneOfState(state, status)}>{wordsOf(status)}</StatusBadge>
            </Td>
            <Td className={paymentLines.amount} align="right">
              <Money cents={amountCents} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
