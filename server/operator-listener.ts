import { getRequestListener } from "@hono/node-server";
import { log } from "../lib/kit/log.ts";
import { serviceConfig } from "../lib/service/config.ts";
import { createOperatorApi } from "../lib/service/http/app.ts";
import { replaceForeignHeaders } from "./gateway.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import type { ListenSetting } from "./listen-address.ts";

// A few back offices.
const connectionsMax = 50;

/** Opens the listener for an operator's back office (Decision D23), on loopback unless OPERATOR_PORT names an interface; without OPERATOR_PORT there is none. */
export async function openOperatorListener(listen: ListenSetting | undefined): Promise<HttpServer | undefined> {
  if (!listen) return undefined;
  if (serviceConfig().operatorToken === undefined) {
    throw new Error("OPERATOR_PORT needs OPERATOR_TOKEN, a secret of 32 characters or more.");
  }
  const { host = "127.0.0.1", port } = listen;
  const api = getRequestListener(createOperatorApi().fetch);
  const opened = await openHttpServer(
    (request, response) => {
      replaceForeignHeaders(request, { "x-gangway-client-address": request.socket.remoteAddress ?? "" });
      void api(request, response);
    },
    { host, port, connectionsMax },
  );
  log().info({ host, port }, "listening for the operator's back office");
  return opened;
}
