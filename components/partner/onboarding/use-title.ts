import { useLayoutEffect } from "react";

/** Keeps the title that a step gives the page, also when Next adds the page's own, which arrives later than the page. */
export function useTitle(title: string): void {
  useLayoutEffect(() => {
    function rename(): void {
      // Next's own element, which it removes with the page.
      const shown = document.querySelector("head title");
      if (shown && shown.textContent !== title) shown.textContent = title;
    }
    rename();
    const observer = new MutationObserver(rename);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    // Before the next page brings its own.
    return () => observer.disconnect();
  }, [title]);
}
