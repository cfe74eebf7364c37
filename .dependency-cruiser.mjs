// Which folders may import which (docs/architecture.md). lab/repository/boundaries.test.ts plants a violation of each rule.

const layers = ["http|pages|workers", "operations", "storage|outbound", "domain"];

/** A layer may import the layers below it, never those above it. */
const importsGoDown = layers.slice(1).map((layer, index) => ({
  name: `imports-go-down-${layer.split("|")[0]}`,
  comment: "Imports go down: http, pages, workers -> operations -> storage, outbound -> domain -> contract -> kit.",
  severity: "error",
  from: { path: `^lib/service/(${layer})/`, pathNot: "\\.test\\.ts$" },
  to: { path: `^lib/service/(${layers.slice(0, index + 1).join("|")}|sandbox)/` },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...importsGoDown,
    {
      name: "partner-alone",
      comment: "The partner app imports nothing from the service: they talk over HTTP only.",
      severity: "error",
      from: { path: "^(lib/partner|components/partner|app/\\(partner\\))/" },
      to: { path: "^(lib/service|components/(authorization|console)|app/\\(service\\))/" },
    },
    {
      name: "service-alone",
      comment: "The service imports nothing from the partner app.",
      severity: "error",
      from: { path: "^(lib/service|components/(authorization|console)|app/\\(service\\))/" },
      to: { path: "^(brand|lib/partner|components/partner|app/\\(partner\\))/" },
    },
    {
      name: "brand-is-alone",
      comment: "A brand contains only values, so it can be replaced without knowing the app.",
      severity: "error",
      from: { path: "^brand/" },
      to: { path: "^(lib|app|components|server)/", pathNot: "^app/fonts/" },
    },
    {
      name: "common-ground",
      comment: "Both apps build on contract and kit, so contract and kit import neither app.",
      severity: "error",
      from: { path: "^lib/(contract|kit)/" },
      to: { path: "^(brand|lib/(service|partner)|app|components|server)/" },
    },
    {
      name: "contract-is-alone",
      comment: "The contract imports none of our modules.",
      severity: "error",
      from: { path: "^lib/contract/" },
      to: { path: "^lib/kit/" },
    },
    {
      name: "kit-has-no-domain",
      comment: "Domain-free tools don't import the contract.",
      severity: "error",
      from: { path: "^lib/kit/" },
      to: { path: "^lib/contract/" },
    },
    {
      name: "domain-is-pure",
      comment: "Domain rules use no clock, network, environment or framework.",
      severity: "error",
      from: { path: "^lib/service/(domain|sandbox/(checks|drills))/", pathNot: "\\.test\\.ts$" },
      to: {
        path: "^lib/kit/(log|environment|postgres|migrations|migrate-database)|^lib/service/config|node_modules/(pg|drizzle-orm|hono|undici|next)/",
      },
    },
    {
      name: "sandbox-is-a-plug",
      comment:
        "Only process startup plugs in the sandbox (server/service-app.ts); production never loads it. The console is a separate client.",
      severity: "error",
      from: {
        path: "^(lib|app|components|server)/",
        pathNot: "^lib/service/sandbox/|^server/(service-app\\.ts$|public-sandbox/)|\\.test\\.tsx?$|/testing/",
      },
      to: { path: "^lib/service/sandbox/", pathNot: "^lib/service/sandbox/console/" },
    },
    {
      name: "public-sandbox-is-a-plug",
      comment: "Only the demo loads this, and only when it's given a public URL (scripts/public-demo.ts).",
      severity: "error",
      from: { pathNot: "^server/public-sandbox/|^scripts/public-demo\\.ts$" },
      to: { path: "^server/public-sandbox/" },
    },
    {
      name: "core-knows-no-sandbox",
      comment: "Only the sandbox uses its wire schemas; it plugs in at providers.ts.",
      severity: "error",
      from: { path: "^lib/service/", pathNot: "^lib/service/(sandbox/|providers\\.ts$)|\\.test\\.ts$|/testing/" },
      to: { path: "^lib/contract/sandbox" },
    },
    {
      name: "sql-only-in-storage",
      comment: "Only storage holds SQL or a query builder.",
      severity: "error",
      from: {
        path: "^(lib/service/(http|operations|outbound|domain|workers|sandbox(?!/storage))|lib/partner/(?!storage/)[^/]+|app|components)/",
        pathNot: "\\.test\\.ts$|^lib/partner/(people|inspector|sandbox)/(storage|schema)\\.ts$",
      },
      to: { path: "node_modules/(pg|drizzle-orm)/" },
    },
    {
      name: "http-not-storage",
      comment: "HTTP handlers go through operations, so no request shape reaches a SQL statement.",
      severity: "error",
      from: { path: "^lib/service/http/", pathNot: "\\.test\\.ts$" },
      to: { path: "^lib/service/storage/" },
    },
    {
      name: "dial-out-only-outbound",
      comment: "Only outbound (service) and the client (partner) dial out.",
      severity: "error",
      from: {
        path: "^lib/(service|partner)/",
        pathNot: "^lib/service/outbound/|\\.test\\.ts$|/testing/",
      },
      to: { path: "node_modules/undici/|^(node:)?https?$" },
    },
    {
      name: "client-stands-alone",
      comment: "@gangway/client takes its settings as arguments and depends only on zod.",
      severity: "error",
      from: { path: "^lib/client/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: "^lib/client/|^(node:)?crypto$|node_modules/zod/" },
    },
    {
      name: "client-by-its-entry",
      comment:
        "Import the client only through its entry point, as its users do: #client here, @gangway/client elsewhere.",
      severity: "error",
      from: { pathNot: "^lib/client/" },
      to: { path: "^lib/client/(?!index\\.ts$)" },
    },
    {
      name: "partner-is-an-argument",
      comment: "Features take the partner as an argument; only request and process entry points look it up.",
      severity: "error",
      from: {
        path: "^lib/partner/",
        pathNot:
          "^lib/partner/(requests/(partner-action|polled-route)|people/session|live/live-streams)\\.ts$|\\.test\\.ts$|/testing/",
      },
      to: { path: "^lib/partner/process-partner\\.ts$" },
    },
    {
      name: "observers-are-left-out",
      comment: "The inspector and the sandbox can be deleted: no feature imports them.",
      severity: "error",
      from: { path: "^lib/partner/(?!inspector/|sandbox/)", pathNot: "\\.test\\.ts$|/testing/" },
      to: { path: "^lib/partner/(inspector|sandbox)/" },
    },
    {
      name: "telemetry-in-one-place",
      comment: "Only one file imports OpenTelemetry, and it's loaded only when tracing is on.",
      severity: "error",
      from: { pathNot: "^server/open-telemetry\\.ts$|\\.test\\.ts$" },
      to: { path: "node_modules/@opentelemetry/" },
    },
    {
      name: "telemetry-when-asked",
      comment: "A process without a collector must not load OpenTelemetry.",
      severity: "error",
      from: { pathNot: "\\.test\\.ts$" },
      to: { path: "^server/open-telemetry\\.ts$", dependencyTypesNot: ["dynamic-import"] },
    },
    {
      name: "ui-knows-no-domain",
      comment: "components/ui has no domain terms and imports neither app.",
      severity: "error",
      from: { path: "^components/ui/" },
      to: { path: "^(lib/(partner|service|contract)|components/(?!ui/)|app)/" },
    },
    {
      name: "sandbox-tools-know-neither",
      comment: "Both apps share the sandbox bar, so it imports neither.",
      severity: "error",
      from: { path: "^components/sandbox/", pathNot: "\\.test\\.ts$" },
      to: { path: "^(lib/(partner|service)|components/(?!ui/|sandbox/)|app)/" },
    },
    {
      name: "console-is-a-client",
      comment:
        "The console makes only calls that any client can make. Of the service, it may import only the address and providers.",
      severity: "error",
      from: { path: "^(components/console|lib/service/sandbox/console)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^lib/service/(?!sandbox/console/|(config|providers)\\.ts$)" },
    },
    {
      name: "journeys-use-the-browser",
      comment: "Journeys see only what a person sees: no app internals and no SQL.",
      severity: "error",
      from: { path: "^e2e/" },
      to: { path: "^lib/(service|partner)/|node_modules/(pg|drizzle-orm)/" },
    },
    {
      name: "conformance-is-a-black-box",
      comment: "The suite tests a service over HTTP only. Of our code, it may import only the contract and the kit.",
      severity: "error",
      from: { path: "^lab/conformance/" },
      to: {
        path: "^(app|brand|components|crash|bench|e2e|scripts|server|lib/(?!contract/|kit/))|node_modules/(pg|drizzle-orm)/",
      },
    },
    {
      name: "tests-stay-tests",
      comment: "Shipped code imports no tests or test helpers.",
      severity: "error",
      from: { pathNot: "\\.test\\.tsx?$|/testing/|^lab/|^e2e/|^scripts/debian-packages\\.ts$" },
      to: { path: "\\.test\\.tsx?$|/testing/|^lab/|^e2e/" },
    },
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
    // The bench's peers and Lighthouse are installed by their first run (lab/bench/package.json, lab/lighthouse/package.json),
    // the S3 example's client by a deployment.
    {
      name: "no-strangers",
      severity: "error",
      from: { pathNot: "^lab/bench/(yardsticks|service)/|^lab/lighthouse/|^deploy/photo-ids-s3[.]example[.]ts$" },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
    },
  },
};
