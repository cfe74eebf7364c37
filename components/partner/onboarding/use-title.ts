import { useLayoutEffect } from "react";

/** Keeps a step's own title, even when Next adds the page's title, which arrives later than the page. */
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
    // Stops before the next page sets its title.
    return () => observer.disconnect();
  }, [title]);
}
