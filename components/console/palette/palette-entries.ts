import type { PaletteContent } from "#lib/service/sandbox/console/answer-palette.ts";
import { consolePages } from "../console-pages.ts";
import { addressOf } from "../filters.ts";

export type PaletteEntry = { group: string; name: string; detail: string; href: string };

const pages: PaletteEntry[] = consolePages.flatMap(([group, entries]) =>
  entries.map(([href, name]) => ({ group: "Page", name, detail: group, href })),
);

export function entriesOf({ people, drills }: PaletteContent): PaletteEntry[] {
  return [
    ...people.map(({ join, name, status }) => ({
      group: "Person",
      name,
      detail: `${join.replace(":", " ")}, ${status}`,
      href: addressOf({ join }),
    })),
    ...drills.map(({ id, title }) => ({ group: "Drill", name: title, detail: id, href: `/console/drills/${id}` })),
  ];
}

const shownMax = 8;

/** Entries that contain every typed word, pages first, and a search of the timeline for the typed text. */
export function findEntries(loaded: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [...pages, ...loaded].filter(({ group, name, detail }) => {
    const text = `${group} ${name} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const search = typed.trim();
  return [
    ...(search ? found : pages).slice(0, search ? shownMax : pages.length),
    ...(search
      ? [
          {
            group: "Timeline",
            name: `Search for “${search}”`,
            detail: "ids, names, statuses",
            href: addressOf({ search }),
          },
        ]
      : []),
  ];
}
