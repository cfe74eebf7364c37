import type { Partner } from "../partner.ts";
import { openEncryptedCookie } from "../requests/encrypted-cookie.ts";
import { type AttemptSource, addDevice, type KnownDevice } from "./known-devices.ts";

const yearSeconds = 365 * 24 * 60 * 60;

export async function readAttemptSource(partner: Partner, clientAddress: string): Promise<AttemptSource> {
  const { devices = [] } = await openCookie(partner);
  return { clientAddress, knownDevices: devices };
}

/** Marks this browser as known for a phone, for a year and beyond sign-out. */
export async function rememberDevice(partner: Partner, phone: string): Promise<void> {
  const cookie = await openCookie(partner);
  cookie.devices = addDevice(partner, cookie.devices ?? [], phone);
  await cookie.save();
}

function openCookie(partner: Partner) {
  return openEncryptedCookie<{ devices?: KnownDevice[] }>(partner, "devices", yearSeconds);
}
