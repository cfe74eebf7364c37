import { pagePersonHeader } from "#lib/partner/live/live-event.ts";

/** Fetches for this page's person: 401 once no one, or someone else, is signed in. */
export function fetchAsPage(path: string, init?: RequestInit): Promise<Response> {
  const { person = "" } = document.documentElement.dataset;
  return fetch(path, { ...init, headers: { [pagePersonHeader]: person }, cache: "no-store" });
}

// A page that signs out is already navigating when it gets the event.
const leavingMs = 3000;
// A form's answer may lead to another page, which a reload would undo.
const navigatingMs = 10_000;

/** Reloads a page that is signed out or whose item is gone, after pending forms and their navigation. Returns a cancel function. */
export function reloadWhenIdle(): () => void {
  let timer = setTimeout(leave, leavingMs);
  function leave(): void {
    const waitMs = isSubmitting() ? leavingMs : endedAtMs + navigatingMs - performance.now();
    if (waitMs > 0) timer = setTimeout(leave, waitMs);
    else window.location.reload();
  }
  return () => clearTimeout(timer);
}

let awaited = 0;
let endedAtMs = Number.NEGATIVE_INFINITY;

/** Marks a form of this page as pending; returns a function that ends that. */
export function trackSubmission(): () => void {
  awaited++;
  return () => {
    awaited--;
    endedAtMs = performance.now();
  };
}

export function isSubmitting(): boolean {
  return awaited > 0;
}
