import { type RefObject, useCallback, useLayoutEffect, useState } from "react";

/** Which rows of a long list are drawn, how much room those before and after them take, and one row; 0 before that is known. */
export type RowWindow = {
  start: number;
  end: number;
  before: number;
  after: number;
  rowHeight: number;
  /** Has the rows drawn that are in sight by now: a browser tells of a scroll only with its next frame. */
  look: () => void;
};

const rowsBeyond = 12;
const rowsAtFirst = 40;

/**
 * The rows of a list that are in sight of the scrolling box, with some beyond it. All rows are as high as the first. Before
 * the box is known, as on the server, the last rows are drawn.
 */
export function useWindow(box: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [sight, setSight] = useState<{ top: number; height: number; rowHeight: number }>();

  const look = useCallback(() => {
    const element = box.current;
    const rowHeight = element?.querySelector("[data-row]")?.getBoundingClientRect().height ?? 0;
    if (element && rowHeight > 0) setSight({ top: element.scrollTop, height: element.clientHeight, rowHeight });
  }, [box]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at anew when there is a first row
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const resized = new ResizeObserver(look);
    resized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box, look, count > 0]);

  if (!sight) return { start: Math.max(0, count - rowsAtFirst), end: count, before: 0, after: 0, rowHeight: 0, look };
  const { top, height, rowHeight } = sight;
  const start = Math.min(Math.max(0, Math.floor(top / rowHeight) - rowsBeyond), Math.max(0, count - 1));
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + rowsBeyond);
  return { start, end, before: start * rowHeight, after: Math.max(0, count - end) * rowHeight, rowHeight, look };
}
