import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { processWide } from "../../kit/memoize.ts";
import { serviceConfig } from "../config.ts";
import { type AddressPolicy, isAddressAllowed } from "../domain/address-policy.ts";

/** The address that was asked for is one that the service must not dial. */
export class AddressRefusedError extends Error {
  readonly code = "ADDRESS_REFUSED";

  constructor() {
    super("The address is not a public one.");
    this.name = "AddressRefusedError";
  }
}

/** The connections over which the service dials out: kept alive, and only to addresses that were checked (Decision D14). */
export const outboundDispatcher = processWide("service.outbound", (): Agent => {
  const { allowsLoopback, outboundNetworks: networks } = serviceConfig();
  return createGuardedAgent({ allowsLoopback, networks });
});

/**
 * An agent that looks at addresses after name resolution and connects to the very addresses it looked at, so that a name
 * which answers differently the second time gains nothing. It follows no redirects.
 */
export function createGuardedAgent(policy: AddressPolicy, resolve: typeof lookup = lookup): Agent {
  const connect = buildConnector({ timeout: 5000, lookup: guardLookup(policy, resolve) });
  return new Agent({
    pipelining: 1,
    keepAliveTimeout: 10_000,
    connect: (options, callback) => {
      // Node looks nothing up for a literal address, so that is checked here.
      const literal = options.hostname.replace(/^\[(.*)\]$/, "$1");
      if (isIP(literal) && !isAddressAllowed(literal, policy)) callback(new AddressRefusedError(), null);
      else connect(options, callback);
    },
  });
}

function guardLookup(policy: AddressPolicy, resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      // One forbidden address among public ones is a sign of an attack.
      if (addresses.length === 0 || !addresses.every(({ address }) => isAddressAllowed(address, policy))) {
        return callback(new AddressRefusedError(), []);
      }
      const [first] = addresses;
      if (options.all || !first) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}
