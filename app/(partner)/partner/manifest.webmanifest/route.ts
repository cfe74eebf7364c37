import { brandName } from "#brand/name.ts";
import { words } from "#lib/partner/words/words.ts";

const manifest = {
  name: brandName,
  start_url: "/",
  display: "browser",
  icons: [{ src: "/partner/icon.svg", type: "image/svg+xml", sizes: "any" }],
};

/** The app's name and icon on a home screen. */
export function GET(): Response {
  return Response.json(
    { ...manifest, description: words("about")("description") },
    { headers: { "content-type": "application/manifest+json" } },
  );
}
