import { getIronSession } from "iron-session";
import { cookies } from "next/headers";
import type { Partner } from "../partner.ts";
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

async function openCookie(partner: Partner) {
  const { baseUrl, sessionSecret } = partner.config;
  const isSecure = new URL(baseUrl).protocol === "https:";
  return getIronSession<{ devices?: KnownDevice[] }>(await cookies(), {
    cookieName: isSecure ? "__Host-harbor-devices" : "harbor-devices",
    password: sessionSecret,
    ttl: yearSeconds,
    cookieOptions: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
  });
}
