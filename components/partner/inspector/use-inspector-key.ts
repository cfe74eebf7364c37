"use client";

import { useEffect, useEffectEvent, useState } from "react";
import { inspectorKeyCookie, remember } from "./inspector-cookie.ts";

/** The key that opens and closes the inspector, unless it is switched off. */
export const inspectorKey = "i";

/** Calls `press` when the key is pressed alone, where nobody types, and it is on; says whether it is, and switches it. */
export function useInspectorKey(isOnAtFirst: boolean, press: () => void) {
  const [isOn, setIsOn] = useState(isOnAtFirst);
  const pressed = useEffectEvent(press);
  useEffect(() => {
    if (!isOn) return undefined;
    const hear = (event: KeyboardEvent) => {
      if (event.key !== inspectorKey || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      pressed();
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, [isOn]);

  function turn(on: boolean): void {
    remember(inspectorKeyCookie, on ? "on" : "off");
    setIsOn(on);
  }

  return { isOn, turn };
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input,textarea,select,dialog") !== null)
  );
}
