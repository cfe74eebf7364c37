import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { brandName } from "../../brand/name.ts";

type Settings = Record<string, string | undefined>;
type PublicAddress = { harbor: string; plainbook: string };

/**
 * Reads the options of `npm run demo`. The authorization pages have their own origin, by default `plainbook.` before the host.
 * Throws a one-sentence error.
 */
export function readPublicAddress(args: string[]): PublicAddress {
  const options = { "public-url": { type: "string" }, "plainbook-url": { type: "string" } } as const;
  const { "public-url": harborUrl, "plainbook-url": plainbookUrl } = parseArgs({ args, options }).values;
  if (harborUrl === undefined) throw new Error("--plainbook-url needs --public-url.");
  const harbor = readOrigin("--public-url", harborUrl);
  const beside = new URL(harbor);
  beside.hostname = `plainbook.${beside.hostname}`;
  const plainbook = plainbookUrl === undefined ? beside.origin : readOrigin("--plainbook-url", plainbookUrl);
  if (plainbook === harbor) throw new Error("--plainbook-url must be another address than --public-url.");
  return { harbor, plainbook };
}

function readOrigin(option: string, text: string): string {
  const url = URL.parse(text);
  const isLocal = url !== null && /^(?:.+\.)?localhost$/.test(url.hostname);
  const isWeb = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
  if (!url || !isWeb || /^[\d.]+$|^\[/.test(url.hostname)) {
    throw new Error(`${option} must be an address like https://demo.example.com: https, and a host name.`);
  }
  if (url.username || url.password || url.pathname !== "/" || url.search || url.hash) {
    throw new Error(`${option} must be a host alone, without a path, a query or a password.`);
  }
  return url.origin;
}

const ports = { harbor: "3000", plainbook: "4000" };

// An interface and a port, which the check of free ports and the proxy need. API and pages share an address here.
function listenOf(setting: string | undefined, port: string): string {
  const [first = ""] = (setting || port).split(",");
  return /^\d+$/.test(first.trim()) ? `127.0.0.1:${first.trim()}` : first.trim();
}

/**
 * The settings of a public demo, which override `.env`. Its keys are random and its databases new at each start: data of an
 * earlier run can't be read, and no secret of `.env.example` opens anything.
 */
export function settingsOf({ harbor, plainbook }: PublicAddress, given: Settings): Record<string, string> {
  const key = () => `public-1:${randomBytes(32).toString("base64")}`;
  return {
    PARTNER_BASE_URL: harbor,
    PARTNER_LISTEN: listenOf(given["PARTNER_LISTEN"], ports.harbor),
    PARTNER_SERVICE_BASE_URL: plainbook,
    PARTNER_SERVICE_AUTH_URL: plainbook,
    PARTNER_SERVICE_FEATURES: "state,pkce,revocation,replays",
    PARTNER_DATABASE_URL: "",
    PARTNER_ENCRYPTION_KEYS: key(),
    PARTNER_SESSION_SECRET: randomBytes(32).toString("hex"),
    SERVICE_MODE: "sandbox",
    SERVICE_BASE_URL: plainbook,
    SERVICE_AUTH_URL: "",
    SERVICE_HOSTS: "",
    SERVICE_LISTEN: listenOf(given["SERVICE_LISTEN"], ports.plainbook),
    SERVICE_DATABASE_URL: "",
    SERVICE_CELLS: "1",
    SERVICE_ENCRYPTION_KEYS: key(),
    SERVICE_FINGERPRINT_KEY: randomBytes(32).toString("hex"),
    SERVICE_SEED_CLIENT: "",
    SERVICE_OUTBOUND_NETWORKS: "",
    OPERATOR_PORT: "",
    // Loopback too, because the demo people are connected over it.
    TRUSTED_PROXIES: [given["TRUSTED_PROXIES"], "127.0.0.1", "::1"].filter(Boolean).join(","),
  };
}

/** The start message, with what the proxy in front must do. */
export function greetingOf({ harbor, plainbook }: PublicAddress, settings: Settings): string {
  return `
  ${brandName.padEnd(25)}  ${harbor}  (listens at ${settings["PARTNER_LISTEN"]})
  Plainbook, its service     ${plainbook}  (listens at ${settings["SERVICE_LISTEN"]})

Each visitor gets a sandbox of their own, which is deleted after 24 hours. All of them are deleted at the next start. There's no
console, and the service's API isn't public.

Your proxy must pass each name to its port, with its Host header and the client's address. A Caddyfile that does:

${new URL(harbor).host} {
	reverse_proxy ${settings["PARTNER_LISTEN"]}
}
${new URL(plainbook).host} {
	reverse_proxy ${settings["SERVICE_LISTEN"]}
}

A proxy on another machine: name its address in TRUSTED_PROXIES.
`;
}
