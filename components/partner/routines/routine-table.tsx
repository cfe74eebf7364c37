"use client";

import { useState } from "react";
import { Money } from "#components/ui/money.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { RoutineListItem } from "#lib/partner/routines/list-routines.ts";
import { toneOfState, wordsOf } from "../status-words.ts";

export function RoutineTable({ label, routines }: { label: string; routines: RoutineListItem[] }) {
  const [first] = useState(() => new Set(routines.map(({ id }) => id)));
  return (
    <Table aria-label={label}>
      <Thead>
        <Tr>
          <Th>For</Th>
          <Th>Seller</Th>
          <Th>Date</Th>
          <Th>Status</Th>
          <Th align="right">Amount</Th>
        </Tr>
      </Thead>
      <Tbody>
        {routines.map(({ id, name, sellerName, createdAt, state, status, amountCents }) => (
          <Tr key={id} className={first.has(id) ? "" : "arrival"}>
            <Td label="For">
              <TextLink href={`/routines/${id}`}>{name}</TextLink>
            </Td>
            <Td label="Seller">{sellerName || "Unknown account"}</Td>
            <Td label="Date">
              <RelativeTime at={createdAt} />
            </Td>
            <Td label="Status">
              <StatusBadge tone={toneOfState(state)}>{wordsOf(status)}</StatusBadge>
            </Td>
            <Td label="Amount" align="right">
              <Money cents={amountCents} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
