"use client";

import { useRouter } from "next/navigation";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import type { PaletteContent } from "#lib/service/sandbox/console/answer-palette.ts";
import { entriesOf, findEntries, type PaletteEntry } from "./palette-entries.ts";

type Loaded = { kind: "loading" | "failed" } | { kind: "ok"; entries: PaletteEntry[] };

/** Finds pages, people, ids and drills: a combobox in a modal dialog, opened by the button, Ctrl+K or ⌘K. */
export function CommandPalette() {
  const { push } = useRouter();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const [loaded, setLoaded] = useState<Loaded>({ kind: "loading" });
  const shown = findEntries(loaded.kind === "ok" ? loaded.entries : [], typed);
  const current = shown[Math.min(active, shown.length - 1)];
  const optionId = (entry: PaletteEntry | undefined) => (entry ? `${id}-${shown.indexOf(entry)}` : undefined);

  function open(): void {
    if (dialog.current?.open) return;
    setTyped("");
    setActive(0);
    dialog.current?.showModal();
    void readContent().then(setLoaded);
  }

  useEffect(() => {
    const onKey = (press: globalThis.KeyboardEvent) => {
      if (press.key.toLowerCase() !== "k" || !(press.ctrlKey || press.metaKey) || press.altKey || press.shiftKey)
        return;
      press.preventDefault();
      open();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });

  const activeId = optionId(current);
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  function go({ href }: PaletteEntry): void {
    dialog.current?.close();
    push(href);
  }

  function onKeyDown(press: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[press.key];
    if (step) {
      press.preventDefault();
      setActive((Math.min(active, shown.length - 1) + step + shown.length) % shown.length);
    } else if (press.key === "Enter" && current) {
      press.preventDefault();
      go(current);
    }
  }

  return (
    <>
      <Button
        variant="secondary"
        size="sm"
        onClick={open}
        aria-keyshortcuts="Control+K Meta+K"
        className="noscript:hidden"
      >
        Find
        <kbd className="font-mono text-xs font-normal text-ink-soft pointer-coarse:hidden">Ctrl K</kbd>
      </Button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the browser handles Escape */}
      <dialog
        ref={dialog}
        aria-label="Find a page, a person, an id, or a drill"
        onClick={({ target }) => {
          if (target === dialog.current) dialog.current.close();
        }}
        className="mx-auto mt-[10dvh] mb-auto w-[calc(100%-2rem)] max-w-xl rounded-card border border-line-strong bg-surface p-0 text-ink shadow-float"
      >
        <div className="flex flex-col gap-2 p-3">
          <TextInput
            id={`${id}-input`}
            role="combobox"
            aria-label="Find a page, a person, an id, or a drill"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={activeId}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            placeholder="Page, person, id, or drill"
            value={typed}
            onChange={({ currentTarget: { value } }) => {
              setTyped(value);
              setActive(0);
            }}
            onKeyDown={onKeyDown}
          />
          <div role="listbox" id={`${id}-list`} aria-label="Results" className="max-h-[50dvh] overflow-y-auto">
            {shown.map((entry) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the combobox
              <div
                key={entry.href}
                role="option"
                id={optionId(entry)}
                aria-selected={entry === current}
                onClick={() => go(entry)}
                className="flex min-h-11 cursor-pointer flex-wrap items-center gap-x-3 rounded-control px-3 py-1 text-sm hover:bg-sunken aria-selected:bg-accent-soft aria-selected:forced-highlight"
              >
                <span className="min-w-0 font-semibold break-words">{entry.name}</span>
                <span className="min-w-0 font-mono text-xs break-all">{entry.detail}</span>
                <span className="ml-auto text-xs">{entry.group}</span>
              </div>
            ))}
          </div>
          <p role="status" className="text-sm text-ink-soft empty:hidden">
            {typed && loaded.kind === "loading" ? "Loading people and drills" : ""}
            {loaded.kind === "failed" ? "Couldn’t load people and drills. Pages and the search still work." : ""}
          </p>
        </div>
      </dialog>
    </>
  );
}

async function readContent(): Promise<Loaded> {
  try {
    const answer = await fetch("/console/palette");
    if (!answer.ok) return { kind: "failed" };
    return { kind: "ok", entries: entriesOf((await answer.json()) as PaletteContent) };
  } catch {
    return { kind: "failed" };
  }
}
