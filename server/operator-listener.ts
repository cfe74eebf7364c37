import { getRequestListener } from "@hono/node-server";
import { log } from "../lib/kit/log.ts";
import { serviceConfig } from "../lib/service/config.ts";
import { createOperatorApi } from "../lib/service/http/app.ts";
import { replaceForeignHeaders } from "./gateway.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import type { ListenSetting } from "./listen-address.ts";

const connectionsMax = 50;

/** Opens the operator's API (Decision D23), if OPERATOR_PORT is set; on loopback by default. */
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
  log().info({ host, port }, "serving the operator's API");
  return opened;
}
