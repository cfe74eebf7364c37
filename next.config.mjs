/** @type {import("next").NextConfig} */
export default {
  // The demo, the tests and `next dev` may run side by side, so each names its own folder.
  distDir: process.env.NEXT_DIST_DIR ?? ".next",
  // Two brands, two root layouts: no single layout could wrap a 404 of both.
  // Sentences are parsed on the server (lib/partner/words/sentences.ts), so no page loads the parser.
  turbopack: { resolveAlias: { "use-intl/format-message": "use-intl/format-message/format-only" } },
  experimental: { globalNotFound: true },
  allowedDevOrigins: ["127.0.0.1"],
  poweredByHeader: false,
  reactStrictMode: true,
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["@node-rs/argon2", "pg", "pino"],
};
