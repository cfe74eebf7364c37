import { Card } from "#components/ui/card.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { Amount } from "../amount.tsx";

type Balance = RoutineView["balances"]["source_before"];

/** What lay in both accounts when the payment was sent and once it had ended, as far as the service told Harbor. */
export function RoutineBalances({ routine: { balances, sellerName, isOver } }: { routine: RoutineView }) {
  const rows = [
    { who: "The business", before: balances.source_before, after: balances.source_after },
    { who: sellerName || "Unknown account", before: balances.destination_before, after: balances.destination_after },
  ];
  return (
    <Card title="Balances" description="What each account held, and when that was read.">
      <Table aria-label="Balances">
        <Thead>
          <Tr>
            <Th>Account of</Th>
            <Th align="right">Before</Th>
            <Th align="right">After</Th>
          </Tr>
        </Thead>
        <Tbody>
          {rows.map(({ who, before, after }) => (
            <Tr key={who}>
              <Td label="Account of">{who}</Td>
              <Td label="Before" align="right">
                <Told balance={before} otherwise="Not known" />
              </Td>
              <Td label="After" align="right">
                <Told balance={after} otherwise={isOver ? "Not known" : "Not yet"} />
              </Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </Card>
  );
}

function Told({ balance, otherwise }: { balance: Balance; otherwise: string }) {
  if (!balance) return <span className="text-ink-soft">{otherwise}</span>;
  return (
    <>
      <Amount told={balance.told} />
      <span className="block text-sm text-ink-soft">
        <ExactTime at={balance.at} />
      </span>
    </>
  );
}
