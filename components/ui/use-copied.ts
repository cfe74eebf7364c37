"use client";

import { useEffect, useState } from "react";

const shownMs = 2_000;

/** Copies text, and returns it as `copied` for two seconds. */
export function useCopied() {
  const [copied, setCopied] = useState<string>();

  useEffect(() => {
    if (copied === undefined) return;
    const timer = setTimeout(() => setCopied(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy(text: string) {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  }

  return { copied, copy };
}
