"use client";

import { useEffect, useState } from "react";

/** Counts down until a code can be resent; without JavaScript, shows the initial wait. */
export function ResendWait({ seconds }: { seconds: number }) {
  const [left, setLeft] = useState(seconds);

  useEffect(() => {
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1000);
    return () => clearInterval(timer);
  }, []);

  return left > 0 ? <p className="text-sm text-ink-soft tabular-nums">Available in {left} s</p> : null;
}
