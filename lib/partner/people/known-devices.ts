import { newId } from "../../kit/ids.ts";
import { clientNetwork } from "../../kit/networks.ts";
import { keyedHash } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";

/** A browser that has verified this phone with a code. Not proof of identity. */
export type KnownDevice = { id: string; phoneHash: string };

/** Where an attempt comes from; `knownDevices` is in the browser's cookie. */
export type AttemptSource = { clientAddress: string; knownDevices: readonly KnownDevice[] };

// Enough for a shared browser; the oldest are dropped.
const devicesMax = 10;

export function findDeviceId(
  partner: Partner,
  { knownDevices }: Pick<AttemptSource, "knownDevices">,
  phone: string,
): string | undefined {
  const phoneHash = hashOf(partner, phone);
  return knownDevices.find((device) => device.phoneHash === phoneHash)?.id;
}

export function addDevice(partner: Partner, knownDevices: readonly KnownDevice[], phone: string): KnownDevice[] {
  const id = findDeviceId(partner, { knownDevices }, phone) ?? newId();
  const otherDevices = knownDevices.filter((device) => device.id !== id);
  return [{ id, phoneHash: hashOf(partner, phone) }, ...otherDevices].slice(0, devicesMax);
}

/** What an attempt at this phone counts against: the known device, else the client's network. */
export function sourceOf(partner: Partner, source: AttemptSource, phone: string): string {
  const deviceId = findDeviceId(partner, source, phone);
  return deviceId ? `device ${deviceId}` : `address ${clientNetwork(source.clientAddress)}`;
}

function hashOf(partner: Partner, phone: string): string {
  return keyedHash(partner.config.sessionSecret, `known_device:${phone}`).toString("base64url");
}
