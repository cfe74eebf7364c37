"use client";

import { useEffect, useId, useState } from "react";
import { SubmitButton } from "./submit-button.tsx";
import { fillIn, useUiWords } from "./ui-words.tsx";

type ResendButtonProps = {
  /** Seconds until a code can be resent. */
  seconds: number;
  label: string;
  pendingLabel?: string;
};

/** Counts down until a code can be resent. Without JavaScript it's always enabled, and the server refuses. */
export function ResendButton({ seconds, label, pendingLabel = label }: ResendButtonProps) {
  const words = useUiWords();
  const id = useId();
  const [wait, setWait] = useState({ left: seconds, isCounting: false });

  useEffect(() => {
    // Doesn't count ticks, because timers run slowly in hidden tabs.
    const end = Date.now() + seconds * 1000;
    const count = () => setWait({ left: Math.ceil((end - Date.now()) / 1000), isCounting: true });
    count();
    const timer = setInterval(count, 1000);
    return () => clearInterval(timer);
  }, [seconds]);

  const isWaiting = wait.left > 0;
  return (
    <>
      <SubmitButton
        variant="secondary"
        pendingLabel={pendingLabel}
        aria-disabled={wait.isCounting && isWaiting}
        aria-describedby={isWaiting ? id : undefined}
      >
        {label}
      </SubmitButton>
      {isWaiting ? (
        <p id={id} className="text-sm text-ink-soft tabular-nums">
          {fillIn(words.availableIn, { seconds: wait.left })}
        </p>
      ) : null}
    </>
  );
}
