/** @type {import("next").NextConfig} */
export default {
  // The demo, the tests and `next dev` can run side by side, so each names its own folder.
  distDir: process.env.NEXT_DIST_DIR || ".next",
  // Sentences are parsed on the server (lib/partner/words/sentences.ts), so no page loads the parser.
  turbopack: { resolveAlias: { "use-intl/format-message": "use-intl/format-message/format-only" } },
  // Two brands mean two root layouts, so no single layout can wrap the 404 pages of both.
  experimental: { globalNotFound: true },
  allowedDevOrigins: ["127.0.0.1"],
  poweredByHeader: false,
  reactStrictMode: true,
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["@node-rs/argon2", "pg", "pino"],
};
