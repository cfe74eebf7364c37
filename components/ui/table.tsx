// biome-ignore-all lint/a11y/noRedundantRoles: some browsers drop table roles when `display` changes
import type { ComponentProps } from "react";

/** Rows turn into cards below 32rem; give every Td its column's name as `label`. */
export function Table({ className = "", ...rest }: ComponentProps<"table">) {
  return (
    <div className="@container">
      <table role="table" className={`block w-full border-collapse text-left @lg:table ${className}`} {...rest} />
    </div>
  );
}

/** Visually hidden in the card layout. */
export function Thead(props: ComponentProps<"thead">) {
  return <thead role="rowgroup" className="sr-only @lg:not-sr-only @lg:table-header-group" {...props} />;
}

export function Tbody({ className = "", ...rest }: ComponentProps<"tbody">) {
  return <tbody role="rowgroup" className={`flex flex-col gap-3 @lg:table-row-group ${className}`} {...rest} />;
}

export function Tr({ className = "", ...rest }: ComponentProps<"tr">) {
  return (
    <tr
      role="row"
      className={`flex flex-col gap-1.5 rounded-card border border-line bg-surface p-4 @lg:table-row @lg:rounded-none @lg:border-0 @lg:border-b @lg:bg-transparent @lg:p-0 @lg:in-[tbody]:last:border-b-0 ${className}`}
      {...rest}
    />
  );
}

export type CellAlign = { /** "right" for money. */ align?: "left" | "right" };

export function Th({ align = "left", ...rest }: Omit<ComponentProps<"th">, "align"> & CellAlign) {
  return (
    <th
      scope="col"
      role="columnheader"
      className={`px-3 pb-3 text-sm font-semibold text-ink-soft first:pl-0 last:pr-0 ${sideOf(align)}`}
      {...rest}
    />
  );
}

export type TdProps = Omit<ComponentProps<"td">, "align"> &
  CellAlign & { /** The column's name, shown in cards. */ label?: string };

export function Td({ className = "", align = "left", label, children, ...rest }: TdProps) {
  return (
    <td
      role="cell"
      className={`flex items-baseline justify-between gap-4 @lg:table-cell @lg:px-3 @lg:py-(--cell-y,--spacing(3.5)) @lg:align-middle @lg:first:pl-0 @lg:last:pr-0 ${sideOf(align)} ${className}`}
      {...rest}
    >
      {label ? (
        <span aria-hidden="true" className="shrink-0 text-sm text-ink-soft @lg:hidden">
          {label}
        </span>
      ) : null}
      <span className={`min-w-0 break-words ${label ? "text-right" : ""} @lg:[text-align:inherit]`}>{children}</span>
    </td>
  );
}

function sideOf(align: "left" | "right"): string {
  return align === "right" ? "@lg:text-right" : "@lg:text-left";
}
