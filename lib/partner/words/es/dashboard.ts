import { brandName } from "../../../../brand/name.ts";
import type * as english from "../en/dashboard.ts";
import type { Translation } from "../translation.ts";

export const dashboard: Translation<typeof english.dashboard> = {
  title: "Resumen",
  lead: "Hola, {name}. Este es su dinero en [service].",
  disconnectConsequence: `${brandName} ya no verá su cuenta. Su dinero sigue siendo suyo y puede volver a conectarla cuando quiera.`,
  unpayable: {
    title: `${brandName} no puede pagarle en este momento`,
    text: `Su estado es “{status}”. ${brandName} volverá a pagarle cuando cambie.`,
  },
  balanceNote:
    "Este dinero es suyo. Permanece en su cuenta de [service] hasta que lo mueva. Pasarlo a su banco o a una tarjeta no forma parte de esta demostración.",
  payments: {
    title: "Pagos",
    lead: `Lo que ${brandName} le ha enviado, del más reciente al más antiguo.`,
    all: "Todos los pagos",
    notLoaded: "No podemos cargar sus pagos de [service] en este momento. Es posible que tenga algunos.",
    noneTitle: "Todavía no hay pagos",
    none: `Aparecerán aquí en cuanto ${brandName} le pague.`,
  },
};

export const payments: Translation<typeof english.payments> = {
  title: "Pagos",
  lead: `Todo lo que ${brandName} le ha enviado, del más reciente al más antiguo.`,
  loading: "Cargando sus pagos",
  newest: "Los más recientes",
  payment: "Pago",
  returnedPayment: "Pago devuelto",
  columns: {
    what: "Concepto",
    when: "Fecha",
    status: "Estado",
    amount: "Monto",
  },
  unknownTime: "Desconocida",
  outcomes: {
    open: "En camino",
    succeeded: "Recibido",
    cancelled: "Cancelado",
    failed: "No llegó",
    returned: "Devuelto",
  },
  none: {
    title: "Todavía no hay pagos",
    text: `Aparecerán aquí en cuanto ${brandName} le pague.`,
    action: "Ir a su resumen",
  },
  end: {
    title: "No hay pagos más antiguos",
    text: "Llegó al final de la lista.",
  },
  unavailable: {
    title: "No podemos cargar sus pagos en este momento",
    text: "Esto no afecta su dinero. Seguiremos intentando. Si esto continúa, revise su conexión en <link>su resumen</link>.",
  },
  notConnected: {
    title: `${brandName} no está conectado a su cuenta`,
    text: `Esto no afecta su dinero. Para ver sus pagos aquí, autorice a ${brandName} en <link>su resumen</link>.`,
  },
  lastKnown: {
    title: "Es posible que esto no esté al día",
    offline:
      "Usted no tiene conexión a internet (última actualización: <time></time>). Lo actualizaremos cuando vuelva a conectarse.",
    harbor: `No podemos comunicarnos con ${brandName} (última actualización: <time></time>). Seguiremos intentando.`,
    service: "No podemos comunicarnos con [service] (última actualización: <time></time>). Seguiremos intentando.",
  },
  weeks: {
    title: "Recibido por semana",
    lead: "{total} en las últimas {count} semanas, sin contar los pagos devueltos.",
    week: "Semana del {day}: {amount}",
  },
  page: {
    whatHappened: "Qué pasó",
    details: "Detalles",
    id: "ID del pago",
    copyId: "ID del pago",
  },
  events: {
    sent: `Enviado por ${brandName}`,
    arrived: "Llegó a su cuenta",
    arrives: "Llega a su cuenta",
    cancelled: "Cancelado",
    failed: "No llegó",
    returned: `Devuelto a ${brandName}`,
  },
  next: {
    open: {
      title: "Este pago está en camino",
      text: "La mayoría de los pagos llega en un minuto. Algunos tardan unos días hábiles. No tiene que hacer nada, y esta página se actualiza automáticamente.",
    },
    arrived: {
      title: "Este pago ya llegó",
      text: "El dinero está en su cuenta. No tiene que hacer nada.",
    },
    unchecked: {
      title: "Este pago llegó",
      text: "En este momento no podemos verificar si se devolvió después.",
    },
    takenBack: {
      title: "Este pago se devolvió",
      text: `Llegó, y después [service] lo devolvió a ${brandName}. Motivo: {reason}. Su saldo bajó en {amount}. <link>Ver la devolución</link>`,
    },
    isReturn: {
      title: `Este dinero volvió a ${brandName}`,
      text: `[service] lo retiró de su cuenta. Motivo: {reason}. Pregunte a ${brandName} qué sigue. <link>Ver el pago original</link>`,
    },
    failed: {
      title: "Este pago no llegó",
      text: `{reason}. El dinero volvió a ${brandName}, que puede pagarle de nuevo. Compruebe que su cuenta esté abierta. Si no lo está, pida a [service] que la reabra y luego autorice de nuevo a ${brandName} en su resumen.`,
    },
    someFailed: {
      title: "Un pago no llegó",
      text: `El dinero volvió a ${brandName}, que puede pagarle de nuevo. Compruebe que su cuenta esté abierta. Si no lo está, pida a [service] que la reabra y luego autorice de nuevo a ${brandName}.`,
    },
  },
  news: {
    what: "{amount} por {name}",
    open: "El pago de {what} está en camino.",
    arrived: "El pago de {what} llegó.",
    failed: "El pago de {what} no llegó: {reason}.",
    returned: "Se devolvió un pago de {amount}.",
    balance: "Su saldo es de {amount}.",
  },
  statement: {
    title: "Estado de cuenta",
    lead: `Pagos de ${brandName} a {name}, del más antiguo al más reciente (actualizado: <time></time>).`,
    loading: "Cargando su estado de cuenta",
    print: "Imprimir",
    download: "Descargar (CSV)",
    file: "pagos.csv",
    date: "Fecha (UTC)",
    amountInDollars: "Monto (USD)",
    received: "Recibido",
    returned: "Devuelto",
    total: "Total",
    unknownAmounts: "Los pagos de monto desconocido no están en los totales.",
    none: `${brandName} todavía no le ha enviado ningún pago.`,
    unavailable: "No podemos cargar todos sus pagos en este momento. Intente de nuevo en un minuto.",
  },
  balance: {
    title: "Saldo",
    asOf: "Actualizado: <time></time>",
    accounts: "Cuentas",
    account: "Cuenta",
    available: "Disponible",
    partial: {
      title: "Algunas cuentas no se muestran aquí",
      text: "No pudimos cargarlas todas. Esto no afecta su dinero.",
    },
    unavailable: {
      title: "No podemos cargar su saldo en este momento",
      text: "Esto no afecta su dinero. Seguiremos intentando.",
    },
    none: {
      title: "Todavía no hay cuenta",
      text: "[service] todavía no ha abierto una.",
      awaiting: "[service] abre una en cuanto se aprueben sus datos.",
    },
  },
};
