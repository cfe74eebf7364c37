"use client";

import { useRef, useState } from "react";
import type { Fillable } from "./fillable.ts";
import type { TestPerson } from "./test-person.ts";
import { toolButton } from "./tool-style.ts";

export function FillControls({ fillable }: { fillable: Fillable }) {
  const { label, outcomes = [] } = fillable;
  const [outcome, setOutcome] = useState(outcomes[0]?.value ?? "");
  const [note, setNote] = useState("");
  const person = useRef<TestPerson>(undefined);

  async function fill(chosen: string, isNew: boolean): Promise<void> {
    const { newTestPerson } = await import("./test-person.ts");
    if (isNew || !person.current) person.current = newTestPerson();
    const sentence = await fillable.fill(person.current, chosen);
    setNote(sentence ?? outcomes.find(({ value }) => value === chosen)?.sentence ?? "Filled in with made-up details.");
  }

  return (
    <>
      {outcomes.length > 0 ? (
        <select
          aria-label="Outcome"
          value={outcome}
          onChange={({ currentTarget: { value } }) => {
            setOutcome(value);
            if (person.current) void fill(value, false);
          }}
          className={`${toolButton} max-w-29 max-sm:px-1 sm:max-w-none`}
        >
          {outcomes.map(({ value, label: name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      ) : null}
      <button type="button" className={toolButton} onClick={() => void fill(outcome, true)}>
        {label}
      </button>
      <p role="status" className={note ? "w-full pb-1 text-sm text-ink-soft" : "sr-only"}>
        {note}
      </p>
    </>
  );
}
