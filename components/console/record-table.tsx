import type { ReactNode } from "react";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import { NothingYet } from "./console-page.tsx";

export type Column<Item> = { name: string; align?: "left" | "right"; cell: (record: Item) => ReactNode };

type RecordTableProps<Item> = {
  columns: readonly Column<Item>[];
  records: readonly Item[];
  keyOf: (record: Item) => string;
  /** Shown if there are no records. */
  none: ReactNode;
};

export function RecordTable<Item>({ columns, records, keyOf, none }: RecordTableProps<Item>) {
  if (records.length === 0) return <NothingYet>{none}</NothingYet>;
  return (
    <Table className="text-sm [--cell-y:0]">
      <Thead>
        <Tr>
          {columns.map(({ name, align }) => (
            <Th key={name} align={align}>
              {name}
            </Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {records.map((record) => (
          <Tr key={keyOf(record)} className="@lg:h-9 @lg:pointer-coarse:h-11">
            {columns.map(({ name, align, cell }) => (
              <Td key={name} label={name} align={align}>
                {cell(record)}
              </Td>
            ))}
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
