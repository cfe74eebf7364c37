import { brandName } from "../../../../brand/name.ts";
import type { status as english } from "../en/status.ts";
import type { Translation } from "../translation.ts";

export const status: Translation<typeof english> = {
  title: "Su cuenta de pagos",
  oneMoment: "Un momento.",
  continue: "Continuar con la autorización",
  pending: "Un momento",
  waiting: {
    title: "Estamos revisando sus datos",
    news: "Estamos revisando sus datos.",
    badge: "Pendiente",
    text: "Nuestro servicio de pagos compara lo que envió con registros públicos. La mayoría recibe respuesta en segundos. A veces una persona lo revisa con más detalle, y eso tarda más.",
    sent: "Se envió <time></time>, y esta página se actualiza automáticamente. También puede volver más tarde.",
  },
  unanswered: {
    title: "No sabemos si sus datos llegaron",
    news: "No sabemos si sus datos llegaron.",
    badge: "Sin confirmar",
    text: "Enviamos sus datos, pero nuestro servicio de pagos no nos dijo si llegaron. Envíelos otra vez. Puede enviarlos dos veces sin riesgo.",
    action: "Enviarlos otra vez",
  },
  offered: {
    title: "Continúe en nuestro servicio de pagos",
    news: "Continúe en nuestro servicio de pagos.",
    badge: "Desconocido",
    text: "Nuestro servicio de pagos tiene sus datos, pero no nos comunicó su decisión. La verá en la página de ese servicio y luego volverá aquí. Si todavía no ha decidido, vuelva más tarde.",
  },
  approved: {
    title: "Su cuenta está aprobada",
    news: "Su cuenta está aprobada.",
    badge: "Aprobada",
    text: `Falta un paso: permitir que ${brandName} muestre su cuenta de pagos y le pague. Lo hará en la página de nuestro servicio de pagos y luego volverá aquí.`,
  },
  retry: {
    title: "Algunos datos no coinciden",
    news: "Algunos datos no coinciden.",
    badge: "Revise otra vez",
    text: "Es posible que su fecha de nacimiento o su número de Seguro Social tenga un dígito incorrecto. Nuestro servicio de pagos le pedirá ambos otra vez en su propia página.",
  },
  document: {
    title: "Se necesita una identificación con foto",
    news: "Se necesita una identificación con foto.",
    badge: "Falta un documento",
    text: "Los registros públicos no bastaron para confirmar quién es usted. Nuestro servicio de pagos le pedirá una foto de su identificación en su propia página.",
  },
  rejected: {
    title: "No pudimos confirmar sus datos",
    news: "No pudimos confirmar sus datos.",
    badge: "Rechazada",
    text: "Nuestro servicio de pagos no puede abrir una cuenta de pagos con los datos que envió.",
    noReason: "No dio ningún motivo.",
    reason: "Dio este motivo:",
    note: `Por lo general es solo un error al escribir. Su tienda en ${brandName} no se ve afectada.`,
    action: "Revisar mis datos e intentar de nuevo",
  },
};
