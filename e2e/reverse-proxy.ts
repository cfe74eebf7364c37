import { createServer, request as forward } from "node:http";

/** A proxy like the one that a public demo's greeting describes: each name to its port, with the client's address. */
export async function startProxy(port: number, portOf: Record<string, number>): Promise<{ stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const { host = "" } = request.headers;
    const target = portOf[host];
    if (target === undefined) {
      response.writeHead(502).end();
      return;
    }
    const headers = {
      ...request.headers,
      // Tests choose their address, because they all come from one machine.
      "x-forwarded-for": String(request.headers["x-test-address"] ?? request.socket.remoteAddress),
      "x-forwarded-proto": "http",
    };
    const { method, url: path } = request;
    const passed = forward({ host: "127.0.0.1", port: target, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return {
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
