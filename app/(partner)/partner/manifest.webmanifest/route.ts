import { brandName } from "#brand/name.ts";
import { sentences } from "#brand/sentences.ts";

const manifest = {
  name: brandName,
  description: sentences.description,
  start_url: "/",
  display: "browser",
  icons: [{ src: "/partner/icon.svg", type: "image/svg+xml", sizes: "any" }],
};

/** The app's name and icon on a home screen. */
export function GET(): Response {
  return Response.json(manifest, { headers: { "content-type": "application/manifest+json" } });
}
