import { brandName } from "../../../../brand/name.ts";
import type { authorize as english } from "../en/authorize.ts";
import type { Translation } from "../translation.ts";

export const authorize: Translation<typeof english> = {
  unreachable: "Nuestro servicio de pagos no respondió. Intente de nuevo en un minuto.",
  unreadable: "No pudimos leer la respuesta de nuestro servicio de pagos. Comuníquese con nosotros.",
  customerEndpoint: `Nuestro servicio de pagos no pudo confirmar con ${brandName} quién es usted. Comuníquese con nosotros.`,
  notNow: "Nuestro servicio de pagos no puede hacer esto en este momento. Intente de nuevo en un minuto.",
  otherPhone:
    "Nuestro servicio de pagos tiene un número de teléfono distinto del que usted usa para iniciar sesión aquí. Comuníquese con nosotros.",
  refused: "Nuestro servicio de pagos no pudo abrirle su página. Comuníquese con nosotros.",
};
