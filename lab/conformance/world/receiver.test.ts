import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startReceiver } from "./receiver.ts";

test("a cut connection and an undecodable customer id don't stop the listener", async () => {
  const receiver = await startReceiver({ patienceMs: 100 });
  try {
    const { customersUrl, customers, webhookUrl } = receiver.openMailbox();
    customers.set("one customer", { customer_id: "one customer" });
    const { port, pathname } = new URL(webhookUrl);
    const socket = connect(Number(port), "127.0.0.1");
    const head = ["host: localhost", "content-length: 100", "expect: 100-continue"].join("\r\n");
    socket.write(`POST ${pathname} HTTP/1.1\r\n${head}\r\n\r\n`);
    await once(socket, "data");
    socket.destroy();
    expect((await fetch(`${customersUrl}/v1/customers/%zz`)).status).toBe(404);
    const good = await fetch(`${customersUrl}/v1/customers/one%20customer`);
    expect(await good.json()).toEqual({ customer_id: "one customer" });
  } finally {
    await receiver.stop();
  }
});
