import { type RefObject, useCallback, useLayoutEffect, useState } from "react";
import { flushSync } from "react-dom";

/** The rendered rows of a long list, and the pixel heights of the rest and of one row (0 until measured). */
export type RowWindow = {
  start: number;
  end: number;
  before: number;
  after: number;
  rowHeight: number;
  /** Measures now, without waiting for the browser's next scroll event. */
  measure: () => void;
};

const overscanRows = 12;
const initialRows = 40;

/**
 * List virtualization: the visible rows plus some overscan. All rows have the height of the first. Until the box is
 * measured, and on the server, the last rows are rendered.
 */
export function useVirtualRows(box: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [viewport, setViewport] = useState<{ top: number; height: number; rowHeight: number }>();

  const measure = useCallback(() => {
    const element = box.current;
    const rowHeight = element?.querySelector("[data-row]")?.getBoundingClientRect().height ?? 0;
    if (!element || rowHeight === 0) return;
    const { scrollTop, clientHeight: height } = element;
    // Rows are taller in a narrower box; the first visible one stays.
    setViewport((last) => ({ top: last ? (scrollTop * rowHeight) / last.rowHeight : scrollTop, height, rowHeight }));
  }, [box]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only if the rows' height has changed
  useLayoutEffect(() => {
    if (viewport) box.current?.scrollTo({ top: viewport.top });
  }, [viewport?.rowHeight]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again once there is a first row
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // Rendered at once: another measurement would replace the scaled position.
    const measureNow = () => flushSync(measure);
    const resized = new ResizeObserver(measureNow);
    resized.observe(element);
    element.addEventListener("scroll", measureNow, { passive: true });
    measure();
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", measureNow);
    };
  }, [box, measure, count > 0]);

  if (!viewport)
    return { start: Math.max(0, count - initialRows), end: count, before: 0, after: 0, rowHeight: 0, measure };
  const { top, height, rowHeight } = viewport;
  const start = Math.min(Math.max(0, Math.floor(top / rowHeight) - overscanRows), Math.max(0, count - 1));
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + overscanRows);
  return { start, end, before: start * rowHeight, after: Math.max(0, count - end) * rowHeight, rowHeight, measure };
}
