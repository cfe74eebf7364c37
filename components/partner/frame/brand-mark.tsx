import { brandName } from "#brand/name.ts";

/** The partner app's logo with its name. */
export function BrandMark() {
  return (
    <span className="inline-flex items-center gap-2.5">
      {/* biome-ignore lint/performance/noImgElement: an SVG of a kilobyte, from our own origin, is as small as it gets */}
      <img src="/partner/icon.svg" alt="" width="32" height="32" />
      <span className="font-display text-2xl leading-none font-bold tracking-tight">{brandName}</span>
    </span>
  );
}
