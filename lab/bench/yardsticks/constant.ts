import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { answerCalls } from "../processes/calls.ts";

// The framework's maximum: the same response from a constant.

const user = {
  id: "01900000-0000-7000-8000-000000000001",
  email: "grace@example.com",
  first_name: "Grace",
  last_name: "Hopper",
  phone: "+12025550100",
  kyc_type: "verified",
  metadata: {},
  receive_only: false,
  rejection_reasons: [],
  status: "approved",
  user_type: "personal",
};

const handlers = {
  start: (): Promise<string> =>
    new Promise((resolve) => {
      const app = new Hono().get("/v1/user", (context) => context.json(user));
      const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      );
    }),
};

export type ConstantProcess = typeof handlers;

answerCalls(handlers);
