import { clientNetwork } from "../../kit/client-network.ts";
import { newId } from "../../kit/ids.ts";
import { keyedHash } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";

/** A browser in which a code has proven this phone. It proves nobody's identity, only that this is no stranger to the phone. */
export type KnownDevice = { id: string; phoneHash: string };

/** Whoever is trying something, as the limits tell them apart; `knownDevices` is what their browser's own cookie holds. */
export type AttemptSource = { clientAddress: string; knownDevices: readonly KnownDevice[] };

// As many phones as a shared browser may have seen; the one that was away longest goes first.
const devicesMax = 10;

/** The id under which this browser is known to the phone; undefined when it is a new device for it. */
export function findDeviceId(
  partner: Partner,
  { knownDevices }: Pick<AttemptSource, "knownDevices">,
  phone: string,
): string | undefined {
  const phoneHash = hashOf(partner, phone);
  return knownDevices.find((device) => device.phoneHash === phoneHash)?.id;
}

/** What the browser's cookie holds once a code has proven this phone in it. */
export function addDevice(partner: Partner, knownDevices: readonly KnownDevice[], phone: string): KnownDevice[] {
  const id = findDeviceId(partner, { knownDevices }, phone) ?? newId();
  const others = knownDevices.filter((device) => device.id !== id);
  return [{ id, phoneHash: hashOf(partner, phone) }, ...others].slice(0, devicesMax);
}

/** Whom a try at this phone is counted for: the known device, else the address that it came from. */
export function sourceOf(partner: Partner, source: AttemptSource, phone: string): string {
  const deviceId = findDeviceId(partner, source, phone);
  return deviceId ? `device ${deviceId}` : `address ${clientNetwork(source.clientAddress)}`;
}

function hashOf(partner: Partner, phone: string): string {
  return keyedHash(partner.config.sessionSecret, `known_device:${phone}`).toString("base64url");
}
