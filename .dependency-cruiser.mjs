// Who may import whom (docs/architecture.md). lab/repository/boundaries.test.ts plants a violation of each rule.

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
      comment: "Nothing of the partner imports anything of the service: the two meet over HTTP only.",
      severity: "error",
      from: { path: "^(lib/partner|components/partner|app/\\(partner\\))/" },
      to: { path: "^(lib/service|components/(authorization|console)|app/\\(service\\))/" },
    },
    {
      name: "service-alone",
      comment: "Nothing of the service imports anything of the partner.",
      severity: "error",
      from: { path: "^(lib/service|components/(authorization|console)|app/\\(service\\))/" },
      to: { path: "^(brand|lib/partner|components/partner|app/\\(partner\\))/" },
    },
    {
      name: "brand-is-alone",
      comment: "A brand is values: whoever replaces it need not know the app.",
      severity: "error",
      from: { path: "^brand/" },
      to: { path: "^(lib|app|components|server)/", pathNot: "^app/fonts/" },
    },
    {
      name: "common-ground",
      comment: "contract and kit are what both apps stand on, so they know neither.",
      severity: "error",
      from: { path: "^lib/(contract|kit)/" },
      to: { path: "^(brand|lib/(service|partner)|app|components|server)/" },
    },
    {
      name: "contract-is-alone",
      comment: "The contract imports nothing of ours.",
      severity: "error",
      from: { path: "^lib/contract/" },
      to: { path: "^lib/kit/" },
    },
    {
      name: "kit-has-no-domain",
      comment: "Tools without a domain do not know the contract.",
      severity: "error",
      from: { path: "^lib/kit/" },
      to: { path: "^lib/contract/" },
    },
    {
      name: "domain-is-pure",
      comment: "Rules know no clock, network, environment or framework.",
      severity: "error",
      from: { path: "^lib/service/(domain|sandbox/(checks|drills))/", pathNot: "\\.test\\.ts$" },
      to: {
        path: "^lib/kit/(log|environment|postgres|migrations|migrate-database)|^lib/service/config|node_modules/(pg|drizzle-orm|hono|undici|next)/",
      },
    },
    {
      name: "sandbox-is-a-plug",
      comment:
        "Only the start of a process plugs the sandbox in (server/service-app.ts): production never loads it. The console is a client of its own.",
      severity: "error",
      from: {
        path: "^(lib|app|components|server)/",
        pathNot: "^lib/service/sandbox/|^server/(service-app\\.ts$|public-sandbox/)|\\.test\\.tsx?$|/testing/",
      },
      to: { path: "^lib/service/sandbox/", pathNot: "^lib/service/sandbox/console/" },
    },
    {
      name: "public-sandbox-is-a-plug",
      comment: "Only the demo, asked for a public address, loads it (scripts/public-demo.ts).",
      severity: "error",
      from: { pathNot: "^server/public-sandbox/|^scripts/public-demo\\.ts$" },
      to: { path: "^server/public-sandbox/" },
    },
    {
      name: "core-knows-no-sandbox",
      comment: "Wire schemas of the sandbox are for the sandbox alone; providers.ts is where it plugs in.",
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
      comment: "What http shows and asks for comes from operations: nothing of a request's shape reaches a statement.",
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
      comment: "The package @gangway/client takes its settings as arguments and needs zod alone.",
      severity: "error",
      from: { path: "^lib/client/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: "^lib/client/|^(node:)?crypto$|node_modules/zod/" },
    },
    {
      name: "client-by-its-entry",
      comment: "The client is used as a stranger uses it: by its entry, #client here and @gangway/client elsewhere.",
      severity: "error",
      from: { pathNot: "^lib/client/" },
      to: { path: "^lib/client/(?!index\\.ts$)" },
    },
    {
      name: "partner-is-an-argument",
      comment: "Features take the partner as an argument; only where a request or process begins is it looked up.",
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
      comment: "Only one file knows OpenTelemetry, and it is loaded only where spans are asked for.",
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
      comment: "components/ui has no domain word and nothing of either app.",
      severity: "error",
      from: { path: "^components/ui/" },
      to: { path: "^(lib/(partner|service|contract)|components/(?!ui/)|app)/" },
    },
    {
      name: "sandbox-tools-know-neither",
      comment: "The sandbox bar is one for both apps, so it knows neither.",
      severity: "error",
      from: { path: "^components/sandbox/", pathNot: "\\.test\\.ts$" },
      to: { path: "^(lib/(partner|service)|components/(?!ui/|sandbox/)|app)/" },
    },
    {
      name: "console-is-a-client",
      comment:
        "The console makes calls that any client could make: of the service it knows where it answers, and no more.",
      severity: "error",
      from: { path: "^(components/console|lib/service/sandbox/console)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^lib/service/(?!sandbox/console/|(config|providers)\\.ts$)" },
    },
    {
      name: "journeys-use-the-browser",
      comment: "A journey sees what a person sees: no inside of either app, no SQL.",
      severity: "error",
      from: { path: "^e2e/" },
      to: { path: "^lib/(service|partner)/|node_modules/(pg|drizzle-orm)/" },
    },
    {
      name: "conformance-is-a-black-box",
      comment: "The suite sees a service over HTTP alone: of ours it knows the contract and the kit.",
      severity: "error",
      from: { path: "^lab/conformance/" },
      to: {
        path: "^(app|brand|components|crash|bench|e2e|scripts|server|lib/(?!contract/|kit/))|node_modules/(pg|drizzle-orm)/",
      },
    },
    {
      name: "tests-stay-tests",
      comment: "Nothing that ships imports a test or its scaffolding.",
      severity: "error",
      from: { pathNot: "\\.test\\.tsx?$|/testing/|^lab/|^e2e/|^scripts/" },
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
